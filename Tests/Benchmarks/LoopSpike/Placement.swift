/// Where a handler runs, and whether it asks the bus.
enum Placement: String, CaseIterable {
    /// The whole HTTP side prefers the libuv loop, as the gateway does it.
    case loop
    /// Only the handler's body prefers the libuv loop; Hummingbird's own tasks stay on the global executor.
    case handler
    /// Everything on Swift's global executor.
    case global
    /// Answers at once, on the global executor: what Hummingbird costs by itself.
    case floor
    /// Answers at once, on the libuv loop: the price of the hop without the bus.
    case loopFloor

    var wholeServerOnLoop: Bool { self == .loop || self == .loopFloor }
    var asksTheBus: Bool { self == .loop || self == .handler || self == .global }
}
