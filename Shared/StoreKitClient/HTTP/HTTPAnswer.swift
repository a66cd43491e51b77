/// A whole answer of the gateway.
struct HTTPAnswer: Sendable {
    var status: Int
    /// Names in lower case.
    var headers: [String: String]
    var body: [UInt8]

    var isSuccess: Bool { (200..<300).contains(status) }
}
