import StoreHTTP
import StoreModels

extension HTTPPath {
    /// The path's parameters as the API's description has them. `id` is the object that the segment before it names.
    var parameterNotes: [Parameter] {
        var collection = ""
        return segments.compactMap { segment in
            switch segment {
            case .literal(let name):
                collection = name
                return nil
            case .parameter(.id): return Self.object(in: collection)
            case .parameter(let parameter): return parameter.note
            }
        }
    }

    private static func object(in collection: String) -> Parameter {
        switch collection {
        case "transactions":
            .path(
                .id, as: "transactionId", "The transaction's `id`; the operator may give its `transactionIdentifier`.",
                example: "t_01m7ye06a9fztjwq7kqekddpc9")
        case "subscriptions":
            .path(
                .id, as: "subscriptionId", "Any transaction of the subscription, by `id` or `transactionIdentifier`.",
                example: "1000000001")
        case "products": .path(.id, as: "productId", "The product's identifier.")
        case "prompts": .path(.id, as: "promptId", "The prompt's `id`.")
        case "downloads": .path(.id, as: "downloadId", "The download's `id`.")
        case "intents": .path(.id, as: "intentId", "The intent's identifier.")
        case "advances": .path(.id, as: "advanceId", "From the response to the move.")
        case "runs": .path(.id, as: "runId", "The run.", example: "5c1")
        case "services": .path(.id, as: "instanceId", "The instance, as the list of services has it.")
        case "image", "message", "result": .path(.id, as: "messagingId", "An image, a message or a test.")
        default: preconditionFailure("\(collection) has objects that no description names")
        }
    }
}

extension Schema {
    /// The name of a file or folder of the console.
    fileprivate static let consoleName = text(matching: "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$")
}

extension PathParameter {
    fileprivate var note: Parameter {
        switch self {
        case .account:
            .path(
                self, "The shopper's name.", .identifier(max: IdentifierRule.account.lengthMax), example: "alice")
        case .attemptIdentifier: .path(self, "From the lease.")
        case .bundleId: .path(self, "The app.", .bundleIdentifier, example: "com.example.app")
        case .code:
            .path(self, "The code, as the customer types it. Case does not count.", example: "SPRING26")
        case .codeIdentifier: .path(self, "The code or batch.")
        case .deviceId: .path(self, "The device.")
        case .family:
            .path(self, "The family's name, as you like.", .identifier(max: Family.nameMax), example: "smith")
        case .file: .path(self, "The file's name.", .consoleName, example: "index.html")
        case .folder: .path(self, "The folder's name.", .consoleName, example: "pages")
        case .id: preconditionFailure("the segment before {id} describes it")
        case .keyIdentifier: .path(self, "The key.")
        case .locale: .path(self, "The locale, as in the catalogue.", .identifier(max: 35))
        case .notificationUUID: .path(self, "The notification.", ["type": "string", "format": "uuid"])
        case .ocspRequest:
            .path(
                self,
                "A request in DER as Base64 of either alphabet, percent-encoded (RFC 6960 A.1). POST takes longer ones.",
                ["type": "string", "minLength": 4, "maxLength": 255, "pattern": "^[A-Za-z0-9+/_-]+={0,2}$"],
                example: "AQID")
        case .orderId: .path(self, "The order.")
        case .originalTransactionId: .path(self, "The subscription's first transaction.")
        case .originalTransactionIdentifier:
            .path(self, "The subscription's first transaction.", example: "1000000001")
        case .productId: .path(self, as: "p_productId", "The product, as the catalogue has it.")
        case .productIdentifier: .path(self, "The product.")
        case .refundRequestIdentifier: .path(self, "From the response that opened the request.", .identifier(max: 64))
        case .requestIdentifier: .path(self, "As the extension was requested.", .identifier(max: 128))
        case .restoreIdentifier: .path(self, "From POST /v1/restore.")
        case .store:
            .path(
                self, "An isolated store, by the name that its creation returned.", ["type": "string"], example: "t-7")
        case .testNotificationToken: .path(self, "From the request for a test notification.")
        case .transactionId:
            .path(
                self, as: "p_transactionId", "Any transaction of a customer's, or the customer's app transaction.",
                ["type": "string", "minLength": 1, "maxLength": 19, "pattern": "^[0-9]{1,19}$"])
        }
    }
}

extension Parameter {
    fileprivate static func path(
        _ parameter: PathParameter, as component: String? = nil, _ description: String,
        _ schema: Schema = .identifier(), example: JSONValue? = nil
    ) -> Parameter {
        Parameter(
            parameter.rawValue, in: .path, as: component, isRequired: true, description, schema, example: example)
    }
}
