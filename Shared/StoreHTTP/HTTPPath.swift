import StoreModels

/// The path of a route, as `openapi.json` writes it: `/v1/transactions/{id}/finish`.
package struct HTTPPath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// One part between slashes.
    package enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(PathParameter)
    }

    /// The template itself, as `openapi.json` has it.
    package let description: String
    /// The parts between slashes, in order. An empty part is a literal.
    package let segments: [Segment]

    /// - Precondition: The path begins with a slash, and each name in braces is a ``PathParameter``.
    package init(_ template: String) {
        precondition(template.first == "/", "\(template) does not begin with a slash")
        description = template
        segments = template.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.first == "{" else { return .literal(String(segment)) }
            guard let parameter = PathParameter(rawValue: String(segment.dropFirst().dropLast())) else {
                preconditionFailure("\(template) has an unknown parameter \(segment)")
            }
            return .parameter(parameter)
        }
    }

    /// Creates the path from a literal.
    /// - Precondition: As ``init(_:)``.
    package init(stringLiteral template: String) { self.init(template) }

    /// The parameters in their order.
    package var parameters: [PathParameter] {
        segments.compactMap { segment in
            guard case .parameter(let parameter) = segment else { return nil }
            return parameter
        }
    }

    /// Returns the path with its values, percent-encoded.
    /// - Precondition: There is a value for each parameter, and no other.
    func text(_ values: [PathParameter: String]) -> String {
        precondition(Set(parameters) == Set(values.keys), "\(self) needs \(parameters) and has \(Array(values.keys))")
        return segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let literal): text += "/\(literal)"
            case .parameter(let parameter): text += "/\(PercentEncoding.encode(values[parameter] ?? ""))"
            }
        }
    }
}

/// The name of a path parameter.
package enum PathParameter: String, Sendable, CaseIterable {
    case account
    case attemptIdentifier
    case bundleId
    /// The text of an offer code.
    case code
    case codeIdentifier
    case deviceId
    /// The operator's name of a family.
    case family
    /// A file of the console.
    case file
    /// The folder of a file of the console.
    case folder
    /// The object the segment before it names.
    case id
    case keyIdentifier
    case locale
    case notificationUUID
    case ocspRequest
    case orderId
    case originalTransactionId
    case originalTransactionIdentifier
    case productId
    case productIdentifier
    case refundRequestIdentifier
    case requestIdentifier
    case restoreIdentifier
    /// The name of an isolated store.
    case store
    case testNotificationToken
    case transactionId
}
