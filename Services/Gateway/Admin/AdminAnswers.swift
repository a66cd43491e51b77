import BusService
import StoreModels

/// `{"products":[…],"after":"com.example.b"}`
struct ProductList: Encodable {
    var products: [Product]
    var after: String?
}

/// `{"bus":"connected","services":[{"name":"catalog","id":"…","version":"0.1.0","status":"pass","checks":{…}}]}`
///
/// A service without any instance stands in `missing`.
struct ServicesAnswer: Encodable {
    struct Instance: Encodable {
        var name: String
        var id: String
        var version: String
        /// `pass`, `warn`, `fail`.
        var status: HealthStatus
        var checks: [String: HealthCheck]

        init(_ response: HealthResponse) {
            name = response.name
            id = response.id
            version = response.version
            status = response.status
            checks = response.checks
        }
    }

    var bus: String
    var services: [Instance]
    var missing: [String]

    /// Those the store does not work without, or only in part.
    private static let expected: [ServiceName] = [
        .catalog, .paymentQueue, .promotionController, .eligibility, .paymentProcessor,
    ]

    init(bus: String, instances: [HealthResponse]) {
        self.bus = bus
        services = instances.map(Instance.init)
        let present = Set(instances.map(\.name))
        missing = Self.expected.map(\.rawValue).filter { !present.contains($0) }
    }
}
