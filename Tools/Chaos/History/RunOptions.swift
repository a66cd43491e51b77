import StoreHTTP
import StoreModels

/// `options.json` of a run: how it was set up, and the facts that checks need.
///
/// ```json
/// {"setup":{"seed":"7",…},"operations":["purchase"],"products":{"pro":{"type":"autoRenewable","group":"main"}}}
/// ```
package struct RunOptions: Equatable, Sendable, Codable {
    /// The facts about a product that checks need.
    package struct Product: Equatable, Sendable, Codable {
        /// consumable, nonConsumable, nonRenewable or autoRenewable.
        package var type: String?
        /// The subscription group.
        package var group: String?
    }

    /// Nil for a history without options.
    package var setup: ChaosRun.Setup?
    /// Classes the run meant to exercise. Empty for those its history has.
    package var operations: [HistoryEntry.Operation] = []
    package var products: [String: Product] = [:]

    package init(
        setup: ChaosRun.Setup? = nil, operations: [HistoryEntry.Operation] = [], products: [String: Product] = [:]
    ) {
        self.setup = setup
        self.operations = operations
        self.products = products
    }
}
