import BusService
import GatewayEdge
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Has each service remove the apps that are being deleted. A service that is away delays it, but nothing is lost.
package struct AppRemover: Service {
    /// The pause between two looks.
    static let interval = Duration.seconds(1)
    /// The time of one request to a service.
    private static let requestTime = Duration.seconds(10)
    /// The pauses between the two rounds, each shorter than a claim.
    ///
    /// Together they are longer than every request from before the deletion (`HTTPLimits.requestTimeoutMilliseconds`).
    /// Catalog refuses longer uploads itself.
    private static let pauses = Array(repeating: Duration.seconds(7), count: 5)
    /// The services in the order of the first round. Catalog closes the app, and AppStoreServer has its keys.
    private static let first = [
        CatalogEndpoints.removeApp, NotificationEndpoints.removeApp, PaymentEndpoints.removeApp,
        PromotionEndpoints.removeApp,
    ]
    /// The services in the order of the last round.
    ///
    /// AppStoreServer comes after PaymentQueue, whose last purchases have notifications. Catalog gives the name free.
    private static let last = [
        PaymentEndpoints.removeApp, PromotionEndpoints.removeApp, NotificationEndpoints.removeApp,
        CatalogEndpoints.removeApp,
    ]

    private let stores: IsolatedStores
    private let services: ServiceCaller
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Makes the service. It looks for apps to remove while it runs.
    /// - Parameter sleep: Waits by the monotonic clock. Tests pass their own.
    package init(
        stores: IsolatedStores, services: ServiceCaller,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.stores = stores
        self.services = services
        self.sleep = sleep
    }

    private var deletions: AppDeletions { AppDeletions(stores) }
    private var logger: Logger { stores.logger }

    package func run() async throws {
        await BackgroundJob.run([
            .repeating("removal of apps", every: Self.interval, stores.database.commits, logger) {
                guard let next = try await deletions.next() else { return .untilCommit() }
                let now = stores.now()
                guard next <= now else {
                    return .untilCommit(or: .now + .milliseconds(next.milliseconds - now.milliseconds))
                }
                _ = try await removeAll()
                return .interval
            }
        ])
    }

    /// Removes the deleted apps, one after another, until one cannot be removed.
    /// - Returns: The number of apps that are completely removed.
    func removeAll() async throws -> Int {
        var count = 0
        while !Task.isCancelled, var claim = try await deletions.claim() {
            do {
                try await remove(&claim)
                try await deletions.forget(claim)
                logger.info("app deleted", metadata: ["bundleId": "\(claim.bundleId)"])
                count += 1
            } catch {
                try await release(claim, after: error)
                return count
            }
        }
        return count
    }

    private func release(_ claim: AppDeletions.Claim, after error: any Error) async throws {
        guard !(error is CancellationError) else { return try await deletions.release(claim, problem: nil) }
        let problem = (error as? StoreError)?.message ?? "\(error)"
        logger.log(
            level: claim.problem == problem ? .debug : .warning, "app not deleted yet",
            metadata: ["bundleId": "\(claim.bundleId)", "error": "\(problem)"])
        try await deletions.release(claim, problem: problem)
    }

    /// Has each service remove the app twice. The last round removes what requests from before the deletion have still
    /// written.
    private func remove(_ claim: inout AppDeletions.Claim) async throws {
        for endpoint in Self.first {
            try await remove(&claim, by: endpoint, isLast: false)
        }
        for pause in Self.pauses {
            try await sleep(pause)
            try await deletions.renew(&claim)
        }
        for endpoint in Self.last {
            try await remove(&claim, by: endpoint, isLast: true)
        }
    }

    private func remove(
        _ claim: inout AppDeletions.Claim, by endpoint: Endpoint<RemoveAppRequest, RemoveAppReply>, isLast: Bool
    ) async throws {
        var isDone = false
        while !isDone {
            try await deletions.renew(&claim)
            do {
                isDone = try await services.call(
                    endpoint, RemoveAppRequest(bundleId: claim.bundleId, deletion: claim.number, isLast: isLast),
                    context: CallContext(deadline: .now + Self.requestTime)
                ).isDone
            } catch {
                throw StoreError(error.code, "\(endpoint.service): \(error.message)")
            }
        }
    }
}
