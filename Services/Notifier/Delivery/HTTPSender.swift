internal import CCurl
import EventLoop
import StoreModels

/// Posts notifications to apps' servers, within bounds: time, redirects, and what it reads of a response.
///
/// One deadline covers an attempt from its beginning to its end: the look-up, connections, TLS, heads, bodies and
/// redirects. Each part is a callback on the loop that an attempt which has ended does not take any more.
final class HTTPSender: @unchecked Sendable {
    // Why unchecked: what is not a constant is touched on the loop only.

    /// Maximum number of redirects.
    static let redirectsMax = 5
    /// Maximum bytes read of the heads of one URL's responses, interim ones with them.
    static let headBytesMax = 64 * 1024
    /// Maximum bytes read of a response's body; the connection is closed after them.
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
    /// - Throws: When the kernel gives no descriptors or no thread.
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
private final class HTTPAttempt: @unchecked Sendable {
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
    /// The last status of a response; nil without one.
    private var status: Int?

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

    /// Ends it with its process, which says nothing about the server.
    func cancel() {
        isCancelled = true
        end(.other, "the notifier was stopped")
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

    /// What had not happened when time was over.
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
        guard let transfer = CurlTransfer(target, at: addresses, body: body, targets: targets), let multi else {
            return end(.other, "out of memory")
        }
        self.transfer = transfer
        if !multi.begin(transfer, { [self] code in finish(target, transfer, code) }) {
            end(.other, "libcurl did not take the request")
        }
    }

    private func finish(_ target: TargetPolicy.Target, _ transfer: CurlTransfer, _ code: CURLcode) {
        status = transfer.status ?? status
        switch transfer.stop {
        case .headTooLarge:
            return end(.invalidResponse, "the response's head is larger than \(HTTPSender.headBytesMax) bytes")
        case .redirected:
            let location = PrintableText(transfer.location ?? [])
            guard let next = Self.next(transfer.location ?? [], from: target) else {
                return end(.invalidResponse, "Location: \(location.text)")
            }
            self.transfer = nil
            return begin(next)
        case .bodyIsEnough: break
        case nil where code == CURLE_OK: break
        case nil: return fail(target, transfer, code)
        }
        let isSuccess = (200...206).contains(status ?? 0)
        end(
            isSuccess ? .success : .unsuccessfulResponse,
            transfer.bodyStart.isEmpty ? nil : PrintableText(transfer.bodyStart))
    }

    /// Reads the URL that a response redirects to. One of too many bytes comes cut, and ``TargetPolicy`` refuses it.
    private static func next(_ location: [UInt8], from target: TargetPolicy.Target) -> String? {
        String(validating: location, as: UTF8.self).flatMap { CurlURL.resolve($0, against: target.url) }
    }

    private func fail(_ target: TargetPolicy.Target, _ transfer: CurlTransfer, _ code: CURLcode) {
        let result = SendAttemptResult(code, hasHead: transfer.hasHead)
        if result == .socketIssue, let refusal = transfer.refusal {
            return end(result, "host '\(target.host)' is \(refusal); nothing was sent")
        }
        if result == .socketIssue, transfer.isPortClosed {
            return end(result, "the connection was refused")
        }
        end(
            result,
            transfer.bodyStart.isEmpty
                ? PrintableText(transfer.message(of: code)) : PrintableText(transfer.bodyStart))
    }
}

extension SendAttemptResult {
    /// Names what a request has failed with.
    /// - Parameter hasHead: Whether the head of a response had come.
    fileprivate init(_ code: CURLcode, hasHead: Bool) {
        self =
            switch code {
            case _ where hasHead: .prematureClose
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: .socketIssue
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: .noResponse
            // The first is what it says of a response without a head, as HTTP/0.9 had it.
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .invalidResponse
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
                CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED:
                .tlsIssue
            default: .other
            }
    }
}
