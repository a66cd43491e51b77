/// How replicas on one database divide what was left under way: a row belongs to one of them for a while.
///
/// Nothing rests on it but the work saved. Two that drive one purchase ask the processor about one charge, and the
/// database decides whose answer is written.
struct PurchaseClaims: Sendable {
    /// Of this process; random.
    let replica: String
    /// A new purchase is left this long to the request that began it; milliseconds.
    let headStart: Int64
    /// How long a claim lasts, in milliseconds; renewed when half of it is over. So much later what a dead replica has
    /// left is taken up.
    let lease: Int64

    init(headStart: Duration = .seconds(1), lease: Duration = .seconds(4)) {
        var random = SystemRandomNumberGenerator()
        replica = String(random.next() as UInt64, radix: 36)
        self.headStart = headStart.milliseconds
        self.lease = lease.milliseconds
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
