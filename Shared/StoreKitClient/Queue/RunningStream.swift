internal import StoreModels

/// The stream that is open, or being opened.
struct RunningStream: Sendable {
    /// A later stream has a greater one.
    let number: Int
    /// What the launch has said; another way of handling promoted purchases needs another launch (M60).
    let handler: DeviceLaunch.PromotedPurchases
    let task: Task<Void, Never>
}
