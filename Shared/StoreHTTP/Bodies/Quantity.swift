import StoreModels

/// Reads how many of a product a payment is for: 1 to 10, StoreKit's own bounds of `SKMutablePayment.quantity`.
///
/// JSON has one kind of number, so `1.0` is 1, and a number too large for an integer is a quantity outside the bounds.
package struct Quantity: Hashable, Sendable, Codable {
    private static let range = 1...10

    /// 1…10 once the gateway has read it. Before that it may be any number.
    package let number: Int

    /// Creates a quantity to be sent. The gateway refuses one outside the bounds.
    package init(_ number: Int) { self.number = number }

    /// - Throws: `requestInvalid` (422) for a number outside the bounds.
    package init(from decoder: any Decoder) throws {
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

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    private static var outside: StoreError {
        invalid("must be \(range.lowerBound) to \(range.upperBound)", status: 422)
    }

    private static func invalid(_ reason: String, status: Int = 400) -> StoreError {
        var error = StoreError(
            .requestInvalid, "$.quantity: \(reason)", details: ["path": .string("$.quantity")])
        error.status = status
        return error
    }
}

/// Reads a member that may be missing, but not null.
package struct NonNull<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// The value, never null on the wire.
    package let value: Value

    package init(_ value: Value) { self.value = value }

    /// Reads the value itself, without an object around it.
    package init(from decoder: any Decoder) throws { value = try Value(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension KeyedDecodingContainer {
    /// Hands a null to the value's own decoding, which refuses it.
    func decodeIfPresent<Value>(_ type: NonNull<Value>.Type, forKey key: Key) throws -> NonNull<Value>? {
        contains(key) ? try decode(type, forKey: key) : nil
    }
}
