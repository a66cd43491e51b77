/// An error in a users file, with location and problem.
package struct UsersFileFault: Error, Equatable, CustomStringConvertible {
    /// The location, as `$.users[1].permissions.pub.allow[0]`.
    package var location: String
    /// The problem, as a sentence without a full stop.
    package var problem: String

    /// Creates an error at a path of the decoder.
    package init(_ path: [any CodingKey], _ problem: String) {
        location = path.reduce("$") { text, key in
            key.intValue.map { "\(text)[\($0)]" } ?? "\(text).\(key.stringValue)"
        }
        self.problem = problem
    }

    /// The location and the problem.
    package var description: String { "\(location): \(problem)" }
}

extension UsersFileFault {
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            self.init(context.codingPath, "must be \(Self.name(of: type))")
        case .keyNotFound(let key, let context): self.init(context.codingPath, "lacks the member '\(key.stringValue)'")
        case .dataCorrupted(let context): self.init(context.codingPath, context.debugDescription)
        @unknown default: self.init([], "\(error)")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        if type == String.self { return "a string" }
        if type == Int.self { return "an integer" }
        return "\(type)".hasPrefix("Array") || "\(type)".hasPrefix("_") ? "an array" : "an object"
    }
}
