import AsyncHTTPClient
import EventLoop
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import StoreModels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Posts notifications to apps' servers, within bounds: time, redirects, and what it reads of a response.
///
/// A host name is resolved here and the connection goes to that address, so that no name can lead to an address that
/// ``TargetPolicy`` refuses.
final class HTTPSender: Sendable {
    /// Maximum number of redirects.
    static let redirectsMax = 5
    /// Maximum bytes read of a response's body; the connection is closed after them.
    static let bodyBytesMax = 64 * 1024
    /// Maximum number of addresses of one host that are tried.
    static let addressesMax = 3
    /// Maximum number of hosts whose connections are kept.
    static let clientsMax = 64

    private let targets: TargetPolicy
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let clients = Locked<[ExactText: Kept]>([:])

    /// A client and the number of requests that use it.
    private struct Kept {
        let client: HTTPClient
        var uses = 0
    }

    init(targets: TargetPolicy) { self.targets = targets }

    /// Closes all connections.
    func shutdown() async throws {
        let open = clients.withLock { clients in
            defer { clients = [:] }
            return clients.values.map(\.client)
        }
        for client in open { try await client.shutdown() }
        try await group.shutdownGracefully()
    }

    /// Posts a signed payload, and follows redirects with the same body.
    func post(_ signedPayload: String, to url: String, timeout: Duration) async -> AttemptOutcome {
        let begun = ContinuousClock.now
        // The payload is Base64 and dots, which JSON has as they are.
        let body = ByteBuffer(string: #"{"signedPayload":"\#(signedPayload)"}"#)
        var outcome = await follow(url, body, until: begun + timeout)
        outcome.durationMs = Int((ContinuousClock.now - begun) / .milliseconds(1))
        return outcome
    }

    private func follow(_ first: String, _ body: ByteBuffer, until deadline: ContinuousClock.Instant) async
        -> AttemptOutcome
    {
        var url = first
        var seen: Set<ExactText> = []
        while true {
            guard seen.insert(ExactText(url)).inserted, seen.count <= Self.redirectsMax + 1 else {
                return AttemptOutcome(.circularRedirect, bodyStart: "redirects end at \(url)")
            }
            switch await attempt(url, body, until: deadline) {
            case .ended(let outcome): return outcome
            case .redirected(let next): url = next
            }
        }
    }

    private enum Step {
        case ended(AttemptOutcome)
        case redirected(to: String)
    }

    private func attempt(_ url: String, _ body: ByteBuffer, until deadline: ContinuousClock.Instant) async -> Step {
        let target: TargetPolicy.Target
        do throws(StoreError) {
            target = try targets.target(of: url)
        } catch {
            return .ended(AttemptOutcome(.socketIssue, bodyStart: error.message))
        }
        let addresses: [NetworkAddress]
        do {
            addresses = try await resolve(target.host)
        } catch {
            return .ended(AttemptOutcome(.socketIssue, bodyStart: "host '\(target.host)' was not found"))
        }
        if let refusal = addresses.lazy.compactMap({ self.targets.refusal(of: $0) }).first {
            return .ended(
                AttemptOutcome(.socketIssue, bodyStart: "host '\(target.host)' is \(refusal); nothing was sent"))
        }
        var step = Step.ended(AttemptOutcome(.socketIssue, bodyStart: "host '\(target.host)' has no address"))
        for address in addresses.prefix(Self.addressesMax) {
            step = await send(target, at: address, body, until: deadline)
            // Only a closed port leads to the next address; anything else may have reached the server.
            guard case .ended(let outcome) = step, outcome.result == .socketIssue else { return step }
        }
        return step
    }

    private func send(
        _ target: TargetPolicy.Target, at address: NetworkAddress, _ body: ByteBuffer,
        until deadline: ContinuousClock.Instant
    ) async -> Step {
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return .ended(AttemptOutcome(.timedOut)) }
        var request = HTTPClientRequest(url: target.url)
        request.method = .POST
        request.headers = ["Content-Type": "application/json", "User-Agent": "storebus-notifier"]
        request.body = .bytes(body)
        let key = ExactText("\(target.host) \(address.text)")
        let client = take(key, target.host, address)
        defer { clients.withLock { $0[key]?.uses -= 1 } }
        do {
            let response = try await client.execute(request, deadline: .now() + TimeAmount(left))
            return await read(response, of: target)
        } catch {
            return .ended(AttemptOutcome(SendAttemptResult(error), bodyStart: Self.text(of: error)))
        }
    }

    /// Reads the beginning of a response.
    private func read(_ response: HTTPClientResponse, of target: TargetPolicy.Target) async -> Step {
        let status = Int(response.status.code)
        if [301, 302, 303, 307, 308].contains(status), let location = response.headers.first(name: "Location") {
            guard let next = URL(string: location, relativeTo: URL(string: target.url))?.absoluteString else {
                return .ended(AttemptOutcome(.invalidResponse, httpStatus: status, bodyStart: "Location: \(location)"))
            }
            return .redirected(to: next)
        }
        var (start, total): ([UInt8], Int) = ([], 0)
        var result: SendAttemptResult = (200...206).contains(status) ? .success : .unsuccessfulResponse
        do {
            for try await chunk in response.body {
                total += chunk.readableBytes
                if start.count < AttemptOutcome.bodyStartMax {
                    start += chunk.readableBytesView.prefix(AttemptOutcome.bodyStartMax - start.count)
                }
                if total >= Self.bodyBytesMax { break }
            }
        } catch {
            result = SendAttemptResult(error, isInBody: true)
        }
        let text = start.isEmpty ? nil : String(decoding: start, as: UTF8.self)
        return .ended(AttemptOutcome(result, httpStatus: status, bodyStart: text))
    }

    private static func text(of error: any Error) -> String {
        if let error = error as? IOError, error.errnoCode == ECONNREFUSED { return "the connection was refused" }
        return String("\(error)".prefix(AttemptOutcome.bodyStartMax))
    }

    // MARK: Connections

    /// Returns the client whose connections to a host go to one address, and counts a use of it.
    ///
    /// Where too many are kept, one that is not in use is closed.
    private func take(_ key: ExactText, _ host: String, _ address: NetworkAddress) -> HTTPClient {
        let (client, idle) = clients.withLock { clients in
            var idle: HTTPClient?
            if clients[key] == nil {
                if clients.count >= Self.clientsMax, let old = clients.first(where: { $0.value.uses == 0 })?.key {
                    idle = clients.removeValue(forKey: old)?.client
                }
                var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
                configuration.dnsOverride = [host: address.text]
                configuration.httpVersion = .http1Only
                // A server closes a connection that idles, maybe just when the next request is sent; where an endpoint is
                // tried once, that notification would have failed.
                configuration.maximumUsesPerConnection = 1
                // A closed port ends the attempt at once; the schedule repeats it.
                configuration.connectionPool.retryConnectionEstablishment = false
                clients[key] = Kept(
                    client: HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration))
            }
            clients[key]?.uses += 1
            return (clients[key]?.client, idle)
        }
        if let idle { Task { try? await idle.shutdown() } }
        guard let client else { preconditionFailure("a client that was put in a dictionary is not there") }
        return client
    }

    /// Finds the addresses of a host, IPv4 first.
    private func resolve(_ host: String) async throws -> [NetworkAddress] {
        if let literal = NetworkAddress(host) { return [literal] }
        return try await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0 else { throw UnknownHost() }
            defer { freeaddrinfo(list) }
            var found: [NetworkAddress] = []
            var next = list
            while let entry = next?.pointee {
                if let address = NetworkAddress(entry), !found.contains(address) { found.append(address) }
                next = entry.ai_next
            }
            return found.filter { $0.bytes.count == 4 } + found.filter { $0.bytes.count != 4 }
        }
    }

    private struct UnknownHost: Error {}
}

extension NetworkAddress {
    /// Reads an address that the system has found.
    fileprivate init?(_ entry: addrinfo) {
        guard let address = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            self.init(
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
                })
        case AF_INET6:
            self.init(
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
                })
        default: return nil
        }
    }

    /// The address as text, without brackets.
    fileprivate var text: String {
        guard bytes.count == 16 else { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}

extension SendAttemptResult {
    /// Names what a request has failed with.
    /// - Parameter isInBody: Whether the response had begun.
    fileprivate init(_ error: any Error, isInBody: Bool = false) {
        switch error {
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout,
                .cancelled:
                self = .timedOut
            case .tlsHandshakeTimeout: self = .tlsIssue
            case .remoteConnectionClosed: self = isInBody ? .prematureClose : .noResponse
            default: self = isInBody ? .prematureClose : .other
            }
        case is ChannelError: self = isInBody ? .prematureClose : .noResponse
        case is HTTPParserError: self = isInBody ? .prematureClose : .invalidResponse
        case is NIOConnectionError: self = .socketIssue
        case let error as IOError:
            let isUnconnected = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
            self = isUnconnected ? .socketIssue : isInBody ? .prematureClose : .noResponse
        // NIOSSL's errors are not this module's to import; their names say whose they are.
        case let error where String(reflecting: type(of: error)).hasPrefix("NIOSSL"): self = .tlsIssue
        default: self = isInBody ? .prematureClose : .other
        }
    }
}
