/// The body of a request that may say why, or have no body at all: `{"error":"paymentInvalid"}`.
struct OptionalError: Decodable {
    /// Nil is left to the service: `unknown`.
    var error: NamedError?
}
