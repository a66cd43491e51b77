import StoreModels

/// An `SKError` by name or number, `"paymentInvalid"` or `3`.
struct NamedError: Decodable {
    let code: SKErrorCode

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let found =
            if let number = try? container.decode(Int.self) {
                SKErrorCode(rawValue: number)
            } else {
                SKErrorCode(name: try container.decode(String.self))
            }
        guard let found else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "must be the name or the number of an SKError, such as paymentInvalid")
        }
        code = found
    }
}
