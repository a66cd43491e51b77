/// The optional body of a request that may contain a reason: `{"error":"paymentInvalid"}`.
struct OptionalError: Decodable {
    /// Nil lets the service choose `unknown`.
    var error: NamedError?
}
