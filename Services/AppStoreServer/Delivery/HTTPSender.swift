import CurlLoop
import EventLoop
import Glibc
import StoreModels

/// Posts notifications to apps' servers, with limits on time, redirects and response bytes.
///
/// One deadline covers an attempt from its beginning to its end: the look-up, connections, TLS, heads, bodies and
/// redirects. Each part is a callback on the loop, and an attempt that has ended ignores it.
final class HTTPSender: @unchecked Sendable {
    // Why unchecked: what is not a constant is touched on the loop only.

    /// Maximum number of redirects.
    static let redirectsMax = 5
    /// Maximum bytes read of a response's body. The connection is closed after them.
    static let bodyBytesMax = 64 * 1024
    /// Maximum number of addresses of one host that are tried.
    static let addressesMax = 3

    private let targets: TargetPolicy
    private let loop: UVLoop
    private let lookups: HostLookups
    private lazy var multi = CurlMulti(loop: loop)
    private var attempts: [ObjectIdentifier: HTTPAttempt] = [:]

    /// Starts the loop of the connections.
    /// - Parameter resolve: Finds the addresses of hosts.
    /// - Throws: An error when the kernel refuses descriptors or a thread.
    init(targets: TargetPolicy, resolve: @escaping HostLookups.Resolve = HostLookups.system) throws(UVError) {
        self.targets = targets
        // Not the loop of bus and database, which a server's TLS would keep waiting.
        loop = try UVLoop.start(name: "deliveries")
        lookups = HostLookups(loop: loop, resolve: resolve)
    }

    /// Ends all attempts, closes their connections and ends the loop.
    func shutdown() async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                for attempt in attempts.values { attempt.cancel() }
                multi.close()
                continuation.resume()
            }
        }
        await loop.close()
    }

    /// Posts an attempt's payload to its endpoint.
    func post(_ attempt: DeliveryService.Begun) async -> AttemptOutcome {
        await post(
            attempt.payload, to: attempt.endpoint.url, of: attempt.notification.bundleId,
            timeout: .milliseconds(attempt.endpoint.timeoutMs))
    }

    /// Posts a signed payload, and follows redirects with the same body.
    /// - Parameters:
    ///   - app: The app whose share of look-ups it takes.
    ///   - timeout: Of the whole attempt.
    func post(_ signedPayload: String, to url: String, of app: String, timeout: Duration) async -> AttemptOutcome {
        // The payload is Base64 and dots, which JSON has as they are.
        let body = Array(#"{"signedPayload":"\#(signedPayload)"}"#.utf8)
        let attempt = HTTPAttempt(app: app, body: body, targets: targets, lookups: lookups)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [self] in
                    attempts[ObjectIdentifier(attempt)] = attempt
                    attempt.start(url, LoopTimer(loop: loop), timeout, multi) { [self] outcome in
                        attempts[ObjectIdentifier(attempt)] = nil
                        continuation.resume(returning: outcome)
                    }
                }
            }
        } onCancel: {
            loop.execute { attempt.cancel() }
        }
    }
}

/// One attempt, on the loop. A cancellation may overtake its start.
private final class HTTPAttempt: CurlReceiver, @unchecked Sendable {
    // Why unchecked: the posting task passes it to the loop, and everything in it is touched there.

    private let app: String
    private let body: [UInt8]
    private let targets: TargetPolicy
    private let lookups: HostLookups
    private let begun = ContinuousClock.now

    private var multi: CurlMulti?
    private var deadline: LoopTimer?
    private var completion: ((AttemptOutcome) -> Void)?
    private var isCancelled = false
    private var seen: Set<ExactText> = []
    private var ticket: Int?
    private var transfer: CurlTransfer?
    /// The last status of a response, if the server sent one.
    private var status: Int?
    /// The beginning of the body.
    private var bodyStart: [UInt8] = []
    private var bodyBytes = 0
    /// The reason why the last refused address was refused.
    private var refusal: String?

    init(app: String, body: [UInt8], targets: TargetPolicy, lookups: HostLookups) {
        self.app = app
        self.body = body
        self.targets = targets
        self.lookups = lookups
    }

    func start(
        _ url: String, _ deadline: LoopTimer, _ timeout: Duration, _ multi: CurlMulti,
        _ completion: @escaping (AttemptOutcome) -> Void
    ) {
        self.completion = completion
        self.deadline = deadline
        self.multi = multi
        guard !isCancelled, !deadline.isClosed else { return cancel() }
        deadline.start(after: timeout) { [self] in end(.timedOut, timeoutReason) }
        begin(url)
    }

    /// Ends it because the process ends, not by the server.
    func cancel() {
        isCancelled = true
        end(.other, "app-store-server was stopped")
    }

    private func end(_ result: SendAttemptResult, _ text: String?) { end(result, text.map { PrintableText($0) }) }

    private func end(_ result: SendAttemptResult, _ text: PrintableText?) {
        guard let completion else { return }
        self.completion = nil
        let status = transfer?.status ?? status
        deadline?.close()
        if let ticket { lookups.leave(ticket) }
        if let transfer { multi?.end(transfer) }
        transfer = nil
        let took = Int((ContinuousClock.now - begun) / .milliseconds(1))
        completion(AttemptOutcome(result, httpStatus: status, durationMs: took, bodyStart: text))
    }

    /// The step that was missing when the time was over.
    private var timeoutReason: String {
        guard let transfer else { return "the host's address was not found in time" }
        if transfer.hasHead { return "the body of the response did not end in time" }
        return transfer.isConnected ? "no response in time" : "no connection in time"
    }

    // MARK: Steps

    private func begin(_ url: String) {
        guard seen.insert(ExactText(url)).inserted, seen.count <= HTTPSender.redirectsMax + 1 else {
            return end(.circularRedirect, "redirects end at \(url)")
        }
        let target: TargetPolicy.Target
        do throws(StoreError) {
            target = try targets.target(of: url)
        } catch {
            return end(.socketIssue, error.message)
        }
        guard NetworkAddress(target.host) == nil else { return send(to: target, at: []) }
        ticket = lookups.start(target.host, for: app) { [self] found in
            ticket = nil
            guard !found.isEmpty else { return end(.socketIssue, "host '\(target.host)' was not found") }
            send(to: target, at: Array(found.prefix(HTTPSender.addressesMax)))
        }
    }

    private func send(to target: TargetPolicy.Target, at addresses: [NetworkAddress]) {
        var request = CurlRequest(
            "POST", target.url,
            headers: [("Content-Type", "application/json"), ("User-Agent", "storebus-app-store-server")],
            body: .bytes(body))
        // A server closes a connection that idles, maybe just when the next request is sent; where an endpoint is tried
        // once, that notification would have failed.
        request.isAlone = true
        if !addresses.isEmpty {
            let addressList = addresses.map { $0.isIPv4 ? $0.text : "[\($0.text)]" }.joined(separator: ",")
            request.addresses = "\(target.host):\(target.port):\(addressList)"
        }
        refusal = nil
        do throws(CurlFailure) {
            let transfer = try CurlTransfer(request, for: self)
            self.transfer = transfer
            let isTaken = multi?.begin(transfer) { [self] failure in finish(target, transfer, failure) }
            if isTaken != true { end(.other, "libcurl did not take the request") }
        } catch {
            end(.other, error.message)
        }
    }

    private func finish(_ target: TargetPolicy.Target, _ transfer: CurlTransfer, _ failure: CurlFailure?) {
        status = transfer.status ?? status
        switch failure?.kind {
        case .stopped where transfer.location != nil:
            // Its body is not read, and may not end.
            let location = transfer.location ?? ""
            guard let next = CurlURL.resolve(location, against: target.url) else {
                return end(.invalidResponse, "Location: \(location)")
            }
            self.transfer = nil
            begin(next)
        case nil, .stopped:
            let isSuccess = (200...206).contains(status ?? 0)
            end(
                isSuccess ? .success : .unsuccessfulResponse,
                bodyStart.isEmpty ? nil : PrintableText(bodyStart))
        default: if let failure { fail(target, failure) }
        }
    }

    private func fail(_ target: TargetPolicy.Target, _ failure: CurlFailure) {
        let result = SendAttemptResult(failure)
        switch failure.kind {
        case .headTooLarge:
            end(result, "the response's head is larger than \(CurlTransfer.headBytesMax) bytes")
        case .notConnected where refusal != nil:
            end(result, "host '\(target.host)' is \(refusal ?? ""); nothing was sent")
        case .notConnected where failure.systemError == ECONNREFUSED: end(result, "the connection was refused")
        default: end(result, bodyStart.isEmpty ? PrintableText(failure.message) : PrintableText(bodyStart))
        }
    }

    // MARK: Response

    func admits(_ address: UnsafeRawPointer) -> Bool {
        // No name and no redirect leads to another address than one that is judged here.
        let address = NetworkAddress(address.assumingMemoryBound(to: sockaddr.self))
        guard let reason = address.map({ targets.refusal(of: $0) }) ?? "of no family that is known" else { return true }
        refusal = reason
        return false
    }

    func takeHead(of transfer: CurlTransfer) -> Bool { transfer.location == nil }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> CurlReaction {
        bodyBytes += bytes.count
        bodyStart += bytes.prefix(PrintableText.bytesMax - bodyStart.count)
        return bodyBytes < HTTPSender.bodyBytesMax ? .taken : .ended
    }
}

/// Looks up host names with the system's resolver. Each look-up has a thread of its own, within a share for each app.
///
/// A look-up cannot be ended from outside: it lasts as long as the name's servers want. So its callers leave it, and it
/// keeps its place until it ends. Another app's names are looked up meanwhile, but the app's own wait for a place.
/// Callers of one app with the same name share one look-up.
///
/// Everything is called on the loop.
final class HostLookups: @unchecked Sendable {
    // Why unchecked: threads carry only a reference back to the loop, where everything in it is touched.

    /// Maximum number of look-ups under way for one app.
    static let shareMax = 4
    /// Maximum number of look-ups under way.
    static let threadsMax = 128
    /// Bytes of a thread's stack. The resolver keeps answers of 64 KiB there.
    private static let stackBytes = 256 << 10

    /// Finds a host's addresses, on a thread that may block. Empty for a host that was not found.
    typealias Resolve = @Sendable (_ host: String) -> [NetworkAddress]

    private struct Name: Hashable {
        var app: ExactText
        var host: ExactText
    }

    /// The callers that wait for a name, by their tickets.
    private typealias Waiters = [Int: ([NetworkAddress]) -> Void]

    private let loop: UVLoop
    private let resolve: Resolve
    private var underWay: [Name: Waiters] = [:]
    /// Names that wait for a place, in their order.
    private var waiting: [(name: Name, waiters: Waiters)] = []
    private var lastTicket = 0

    init(loop: UVLoop, resolve: @escaping Resolve) {
        self.loop = loop
        self.resolve = resolve
    }

    /// Calls `completion` with a host's addresses, later.
    /// - Returns: A ticket for ``leave(_:)``.
    func start(_ host: String, for app: String, _ completion: @escaping ([NetworkAddress]) -> Void) -> Int {
        loop.preconditionIsolated()
        lastTicket += 1
        let name = Name(app: ExactText(app), host: ExactText(host))
        if underWay[name] != nil {
            underWay[name]?[lastTicket] = completion
        } else if let index = waiting.firstIndex(where: { $0.name == name }) {
            waiting[index].waiters[lastTicket] = completion
        } else {
            waiting.append((name, [lastTicket: completion]))
            begin()
        }
        return lastTicket
    }

    /// Removes a waiting caller. Its completion is not called any more.
    func leave(_ ticket: Int) {
        loop.preconditionIsolated()
        for name in underWay.keys { underWay[name]?[ticket] = nil }
        for index in waiting.indices { waiting[index].waiters[ticket] = nil }
        waiting.removeAll { $0.waiters.isEmpty }
    }

    /// Begins the look-ups that have a place.
    private func begin() {
        while underWay.count < Self.threadsMax,
            let index = waiting.firstIndex(where: { one in
                underWay.keys.count { $0.app == one.name.app } < Self.shareMax
            })
        {
            let (name, waiters) = waiting.remove(at: index)
            underWay[name] = waiters
            do {
                try DetachedThread.start(name: "look-up", stackBytes: Self.stackBytes) { [self] in
                    let found = resolve(name.host.text)
                    loop.execute { self.end(name, found) }
                }
            } catch {
                loop.execute { self.end(name, []) }
            }
        }
    }

    private func end(_ name: Name, _ found: [NetworkAddress]) {
        let waiters = underWay.removeValue(forKey: name) ?? [:]
        begin()
        for completion in waiters.values { completion(found) }
    }

    /// Asks the system's resolver. IPv4 addresses come first.
    static let system: Resolve = { host in
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }).prefix(while: { $0 != nil }) {
            guard let address = entry?.pointee.ai_addr.flatMap({ NetworkAddress($0) }), !found.contains(address) else {
                continue
            }
            found.append(address)
        }
        return found.filter(\.isIPv4) + found.filter { !$0.isIPv4 }
    }
}
