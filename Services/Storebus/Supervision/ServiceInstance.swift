/// One process of a service: the first bears the service's own name, the others a number behind it, `payment-queue#2`.
struct ServiceInstance: Hashable, Sendable {
    var service: String
    /// From 1 on.
    var number: Int

    init(service: String, number: Int = 1) {
        self.service = service
        self.number = number
    }

    /// - Parameter name: `payment-queue` or `payment-queue#2`.
    init(_ name: String) {
        let parts = name.split(separator: "#", maxSplits: 1)
        if parts.count == 2, let number = Int(parts[1]), number > 1 {
            self.init(service: String(parts[0]), number: number)
        } else {
            self.init(service: name)
        }
    }

    var name: String { number == 1 ? service : "\(service)#\(number)" }

    /// As files are called after it.
    var fileName: String { "\(service).\(number)" }
}
