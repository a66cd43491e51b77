import StoreModels

/// An image as the commands about it show it:
///
/// ```
/// waiting  com.example.hiddenBeaches  png 1024×1024  73412 bytes  sha256 9f86…
/// ```
enum PromotionImageLine {
    static func answer(_ image: PromotionImage, bundleId: String) -> Answer {
        let size = "\(image.width)×\(image.height)"
        var members = JSONText.value(image).objectValue ?? [:]
        members["size"] = .string(size)
        return Answer(data: .object(members), names: [image.productIdentifier], next: next(image, bundleId)) { style in
            let reason = image.reason.map { "  \(Table.onOneLine($0))" } ?? ""
            return style.paint(image.state.rawValue, .of(state: image.state.rawValue))
                + "  \(image.productIdentifier)  \(image.format.rawValue) \(size)  \(image.length) bytes  sha256 \(image.sha256)\(reason)\n"
        }
    }

    private static func next(_ image: PromotionImage, _ bundleId: String) -> String {
        let option = Known.option(bundleId)
        return switch image.state {
        case .waiting: "storebus promo image approve \(image.productIdentifier)\(option)"
        case .approved: "storebus promo list\(option)"
        case .rejected: "storebus promo image put \(image.productIdentifier) FILE\(option)"
        }
    }

    /// Says how an image comes to be there when there is none.
    static func explaining<Value>(
        _ product: String, _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await Known.suggestingProduct([product], context) { () throws(CLIError) in
            try await Known.explaining(.notFound, body) { failure in
                var error = failure
                error.hints = ["upload one: storebus promo image put \(product) FILE\(Known.option(context.bundleId))"]
                return error
            }
        }
    }
}
