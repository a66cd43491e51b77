/// The body of a service's error reply on the bus: `{"error":{…}}`.
public struct ErrorEnvelope: Hashable, Sendable, Codable {
    /// The only member. A success reply never has one of this name.
    public var error: StoreError

    public init(_ error: StoreError) { self.error = error }
}
