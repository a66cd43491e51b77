import BusClient
import EventLoop
import ServiceLifecycle
import StoreModels

/// Versions of another service's facts, each used on a lease without a request (ADR 0072).
///
/// ```swift
/// let versions = VersionLeases<AppVersion>(of: .catalog, on: bus) {
///     (app, holder, deadline) async throws(StoreError) in
///     try await lease(AppLeaseRequest(bundleId: app.text, holder: holder), deadline)
/// }
/// let version = try await versions.version(of: ExactText(bundleId), until: deadline)
/// ```
/// Leases begin with ``recalls(_:)``. Without it each version is requested, and simultaneous callers share a request.
package final class VersionLeases<Version: Hashable & Sendable & Codable>: Sendable {
    /// Requests a version from its owner, on a lease for a holder that is not nil.
    package typealias Request =
        @Sendable (ExactText, _ holder: String?, ContinuousClock.Instant) async throws(StoreError)
        -> LeasedVersion<Version>

    private let bus: any BusClient
    private let owner: ServiceName
    private let holder: String
    private let leases: Locked<HeldLeases<Version>>
    private let requests: SharedRequest<ExactText, Version>

    /// - Parameter owner: The service whose versions these are.
    package init(of owner: ServiceName, on bus: any BusClient, request: @escaping Request) {
        let leases = Locked(HeldLeases<Version>())
        let holder = RandomIdentifier.hex(digits: VersionLease.holderLength)
        self.bus = bus
        self.owner = owner
        self.holder = holder
        self.leases = leases
        requests = SharedRequest { (key, deadline) async throws(StoreError) in
            let ticket = leases.withLock { $0.ticket(of: key, at: .now) }
            let reply = try await request(key, ticket == nil ? nil : holder, deadline)
            if let ticket, reply.isLeased {
                let version = reply.version
                leases.withLock { $0.take(version, for: key, ticket) }
            }
            return reply.version
        }
    }

    /// Returns the version in force at an instant after this call began, from a lease or its owner.
    /// - Throws: As the owner's endpoint: `serviceUnavailable` or `deadlineExceeded` when it is away.
    package func version(
        of key: ExactText, until deadline: ContinuousClock.Instant
    ) async throws(StoreError) -> Version {
        if let version = held(key) { return version }
        return try await requests.ask(key, until: deadline)
    }

    /// Returns the version of a lease, or nil without one. A lease in use is renewed in the background.
    package func held(_ key: ExactText) -> Version? {
        guard let held = leases.withLock({ $0.version(of: key, at: .now) }) else { return nil }
        if held.renews { request(key) }
        return held.version
    }

    /// Returns the version of a lease. Without one it returns nil, and requests a lease in the background.
    package func heldOrRequested(_ key: ExactText) -> Version? {
        if let version = held(key) { return version }
        if leases.withLock({ $0.hearsRecalls }) { request(key) }
        return nil
    }

    private func request(_ key: ExactText) {
        Task(executorPreference: bus.loop) { [leases, requests] in
            _ = try? await requests.ask(key, until: .now + VersionLease.term)
            leases.withLock { $0.endRenewal(of: key) }
        }
    }

    /// Ends a key's lease, before its recall is acknowledged.
    /// - Parameter key: Nil ends all leases.
    func recall(_ key: ExactText?) { leases.withLock { $0.recall(key) } }

    /// Returns the service that receives recalls. It runs in parallel with the endpoints.
    /// - Parameter forget: Drops data that was cached for the owner's absence. It gets the changed app, or nil when any
    ///   may have changed. In a process that the owner knows it ends before the owner answers the operator.
    package func recalls(
        _ forget: @escaping @Sendable (_ bundleId: String?) -> Void = { _ in }
    ) -> LeaseRecalls<Version> {
        LeaseRecalls(leases: self, forget: forget)
    }

    /// Receives recalls until graceful shutdown, or until the task is cancelled.
    fileprivate func receive(_ forget: @escaping @Sendable (_ bundleId: String?) -> Void) async {
        await cancelWhenGracefulShutdown { [self] in
            var subscriptions: [any BusSubscription] = []
            for name in [holder, VersionLease.everyone] {
                let subject = VersionLease.recalled(by: owner, holder: name)
                // A message that is not understood ends all leases.
                let subscription = try? await bus.subscribe(subject) { [self] message in
                    let bundleId = (try? StoreJSON.decode(LeaseRecalled.self, from: message.body))?.bundleId
                    recall(bundleId.map { ExactText($0) })
                    forget(bundleId)
                    try? bus.respond(to: message)
                }
                if let subscription { subscriptions.append(subscription) }
            }
            let hears = subscriptions.count == 2
            leases.withLock { $0.setHearsRecalls(hears) }
            forget(nil)
            for await state in bus.states where state == .connected {
                recall(nil)
                forget(nil)
            }
            leases.withLock { $0.setHearsRecalls(false) }
            for subscription in subscriptions { await subscription.unsubscribe() }
        }
    }
}

/// Receives the recalls of one reader's leases, in parallel with the endpoints.
package struct LeaseRecalls<Version: Hashable & Sendable & Codable>: ServiceLifecycle.Service {
    fileprivate let leases: VersionLeases<Version>
    fileprivate let forget: @Sendable (_ bundleId: String?) -> Void

    /// Receives until graceful shutdown, or until the task is cancelled.
    package func run() async { await leases.receive(forget) }
}

extension BusClient {
    /// Sends an owner's recall to a holder of its leases, or publishes it to ``VersionLease/everyone``.
    /// - Returns: Whether the holder has acknowledged it in time, or it was published.
    package func recallLease(
        of holder: String, by owner: ServiceName, _ recalled: LeaseRecalled, timeout: Duration
    ) async -> Bool {
        guard let body = try? StoreJSON.encode(recalled) else { return false }
        let subject = VersionLease.recalled(by: owner, holder: holder)
        if holder == VersionLease.everyone { return (try? publish(subject, body: body)) != nil }
        return (try? await request(subject, body: body, timeout: timeout)) != nil
    }
}
