import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus promo image …`
struct PromoImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "image", "Promotional images and their review.",
        """
        storebus promo image put com.example.hiddenBeaches beach.png
        storebus promo image approve com.example.hiddenBeaches

        A product is promoted once its image is approved. storebus promo list shows the state of each.
        """, subcommands: [Put.self, Approve.self, Reject.self, Get.self])

    /// `storebus promo image put`
    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "put", "Upload or replace a product's image, which then waits for review.",
            """
            storebus promo image put com.example.hiddenBeaches beach.png
            storebus promo image put com.example.hiddenBeaches beach.png --approve

            The image is a PNG or JPEG of 1024 by 1024 pixels. The store checks the file's content and ignores \
            its name.
            """)

        @OptionGroup var named: ProductArgument
        @Argument("The image, at most 4 MiB.", "file", .file()) var file: String
        @Flag(help: "Approve it at once.") var approve = false
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run() async throws {
            // Checked before any request.
            let upload = try UploadFile(file, lengthMax: PromotionImage.lengthMax)
            let context = try await CommandContext.find(options, app: app)
            let values: [PathParameter: String] = [.bundleId: context.bundleId, .id: named.product]
            var image = try await DidYouMean.forProducts([named.product], context) { () throws(CLIError) in
                try await context.api.upload(
                    upload, to: ImageRoutes.put, values, timeout: context.timeLimit ?? .seconds(60)
                ).response
            }
            if approve { image = try await context.api.call(ImageRoutes.approve, values) }
            context.print(PromotionImageLine.result(image, bundleId: context.bundleId))
        }
    }

    /// `storebus promo image approve`
    struct Approve: OneAppCommand {
        static let configuration = CommandConfiguration(
            "approve", "Approve a product's image.", "storebus promo image approve com.example.hiddenBeaches")

        @OptionGroup var named: ProductArgument
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await named.review(ImageRoutes.approve, context)
        }
    }

    /// `storebus promo image reject`
    struct Reject: OneAppCommand {
        static let configuration = CommandConfiguration(
            "reject", "Reject a product's image: the product is not promoted with it.",
            "storebus promo image reject com.example.hiddenBeaches --reason blurred")

        @OptionGroup var named: ProductArgument
        @Option("Why, in a few words.", "text") var reason: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            try await named.review(ImageRoutes.reject, reason: reason, context)
        }
    }

    /// `storebus promo image get`
    struct Get: OneAppCommand {
        static let configuration = CommandConfiguration(
            "get", "Write a product's image into a file, as it was uploaded.",
            "storebus promo image get com.example.hiddenBeaches --to beach.png")

        @OptionGroup var named: ProductArgument
        @Option("The file. Default: <product>.png or .jpeg here.", "file") var to: String?
        @OptionGroup var app: AppOptions
        @OptionGroup var options: GlobalOptions

        func run(_ context: CommandContext) async throws {
            let bytes = try await PromotionImageLine.withUploadHint(named.product, context) { () throws(CLIError) in
                try await context.api.bytes(
                    ImageRoutes.get, [.bundleId: context.bundleId, .id: named.product], timeout: .seconds(60))
            }
            let format: PromotionImage.Format = bytes.starts(with: [0xFF, 0xD8]) ? .jpeg : .png
            let name = to ?? "\(PercentEncoding.encode(named.product)).\(format.rawValue)"
            let path = context.path(name)
            try FileAccess.write(bytes, to: path, mode: 0o644)
            context.print(
                "written  \(Table.onOneLine(path))  \(format.rawValue)  \(bytes.count) bytes\n",
                data: [
                    "file": .string(path), "format": .string(format.rawValue), "length": .integer(bytes.count),
                    "productIdentifier": .string(named.product),
                ], names: [path], next: "storebus promo list\(AppOptions.flag(context.bundleId))")
        }
    }
}

extension ProductArgument {
    /// Reviews the product's image.
    fileprivate func review(
        _ decision: HTTPEndpoint<ReviewReason, PromotionImage>, reason: String? = nil, _ context: CommandContext
    ) async throws(CLIError) {
        let image = try await PromotionImageLine.withUploadHint(product, context) { () throws(CLIError) in
            try await context.api.call(
                decision, [.bundleId: context.bundleId, .id: product], body: reason.map { ReviewReason(reason: $0) })
        }
        context.print(PromotionImageLine.result(image, bundleId: context.bundleId))
    }
}

/// The output of the commands about an image:
///
/// ```
/// waiting  com.example.hiddenBeaches  png 1024×1024  73412 bytes  sha256 9f86…
/// ```
enum PromotionImageLine {
    static func result(_ image: PromotionImage, bundleId: String) -> CommandResult {
        let size = "\(image.width)×\(image.height)"
        let members = JSONText.value(image).with(["size": .string(size)])
        return CommandResult(data: members, names: [image.productIdentifier], next: next(image, bundleId)) {
            style in
            let reason = image.reason.map { "  \(Table.onOneLine($0))" } ?? ""
            return style.paint(image.state.rawValue, .of(state: image.state.rawValue))
                + "  \(image.productIdentifier)  \(image.format.rawValue) \(size)"
                + "  \(image.length) bytes  sha256 \(image.sha256)\(reason)\n"
        }
    }

    private static func next(_ image: PromotionImage, _ bundleId: String) -> Advice {
        let option = AppOptions.flag(bundleId)
        return switch image.state {
        case .waiting: "storebus promo image approve \(image.productIdentifier)\(option)"
        case .approved, .rejected: "storebus promo list\(option)"
        }
    }

    /// Adds the upload command to the error about a missing image.
    static func withUploadHint<Value>(
        _ product: String, _ context: CommandContext, _ body: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        try await DidYouMean.forProducts([product], context) { () throws(CLIError) in
            try await DidYouMean.replacing(.notFound, body) { failure in
                failure.with(hints: [
                    "upload one: storebus promo image put \(product) FILE\(AppOptions.flag(context.bundleId))"
                ])
            }
        }
    }
}
