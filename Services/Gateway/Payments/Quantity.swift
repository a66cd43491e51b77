import StoreModels

/// Reads how many of a product a payment is for: 1 to 10, StoreKit's own bounds of `SKMutablePayment.quantity`.
///
/// JSON has one kind of number, so `1.0` is 1, and a number too large for an integer is a quantity outside the bounds.
struct Quantity: Decodable {
    static let range = 1...10

    let number: Int

    /// - Throws: `requestInvalid`; 422 for a number outside the bounds.
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let number: Double
        do {
            number = try value.decode(Double.self)
        } catch DecodingError.dataCorrupted {
            throw Self.outside
        } catch {
            throw Self.invalid("must be an integer")
        }
        guard number == number.rounded() else { throw Self.invalid("must be an integer") }
        guard (Double(Self.range.lowerBound)...Double(Self.range.upperBound)).contains(number) else {
            throw Self.outside
        }
        // A fraction too small for a Double is one all the same.
        guard let exact = try? value.decode(Int.self) else { throw Self.invalid("must be an integer") }
        self.number = exact
    }

    private static var outside: StoreError {
        invalid("must be \(range.lowerBound) to \(range.upperBound)", status: 422)
    }

    private static func invalid(_ reason: String, status: Int = 400) -> StoreError {
        .invalid("$.quantity", reason, status: status)
    }
}

/// Reads a member that may be missing, but not null.
struct NonNull<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

extension KeyedDecodingContainer {
    /// Hands a null to the value's own decoding, which refuses it.
    func decodeIfPresent<Value>(_ type: NonNull<Value>.Type, forKey key: Key) throws -> NonNull<Value>? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
