import StoreModels

@testable import Gateway
@testable import OperatorAPI

/// The document the gateway serves, with its references followed.
struct OpenAPIDocument {
    struct Operation {
        /// `GET /v1/products`
        let name: String
        let value: JSONValue
        /// Those of the path and its own.
        let parameters: [JSONValue]

        /// Names of the parameters in one place: `path`, `query`, `header`.
        func names(in place: String) -> Set<String> {
            Set(parameters.filter { $0["in"]?.stringValue == place }.compactMap { $0["name"]?.stringValue })
        }

        /// The security schemes that open it, one of them each; empty for every caller.
        var schemes: Set<String> {
            Set((value["security"]?.arrayValue ?? []).flatMap { ($0.objectValue ?? [:]).keys })
        }

        /// The JSON of a request's body; nil for an operation without one.
        var content: JSONValue? { value["requestBody"]?["content"]?["application/json"] }

        /// The body's only example, or its first one.
        var example: JSONValue? {
            let first = content?["examples"]?.objectValue?.min { $0.key < $1.key }?.value["value"]
            return content?["example"] ?? first
        }

        var statuses: Set<String> { Set((value["responses"]?.objectValue ?? [:]).keys) }
    }

    let root: JSONValue
    let operations: [String: Operation]

    init() throws {
        let root = try StrictJSON.parse(MonitoringArea.openAPIDocument)
        var operations: [String: Operation] = [:]
        for (path, item) in root["paths"]?.objectValue ?? [:] {
            let members = item.objectValue ?? [:]
            let shared = members["parameters"]?.arrayValue ?? []
            for (method, operation) in members where method != "parameters" {
                let name = "\(method.uppercased()) \(path)"
                let parameters = (shared + (operation["parameters"]?.arrayValue ?? [])).compactMap {
                    Self.resolved($0, in: root)
                }
                operations[name] = Operation(name: name, value: operation, parameters: parameters)
            }
        }
        self.root = root
        self.operations = operations
    }

    /// A component's schema.
    func schema(_ name: String) -> JSONValue? { root["components"]?["schemas"]?[name] }

    /// The value itself, or what its `$ref` points at; nil when that is nowhere.
    func resolved(_ value: JSONValue) -> JSONValue? { Self.resolved(value, in: root) }

    private static func resolved(_ value: JSONValue, in root: JSONValue) -> JSONValue? {
        guard let reference = value["$ref"]?.stringValue else { return value }
        guard reference.hasPrefix("#/") else { return nil }
        return reference.split(separator: "/").dropFirst().reduce(root as JSONValue?) { $0?[String($1)] }
    }
}
