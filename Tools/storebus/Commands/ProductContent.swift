import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus product content …`
struct ProductContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content", abstract: "Hosted content: the files that customers of a product download.",
        discussion: """
            storebus product content put com.example.guide guide.zip
            storebus product content show com.example.guide
            """, subcommands: [Put.self, Show.self])

    /// The option that names a version of a product's content.
    struct Version: ParsableArguments {
        @Option(help: ArgumentHelp("Its version. Default: the one the catalogue declares.", valueName: "version"))
        var contentVersion: String?
    }

    /// `storebus product content put`
    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Upload a product's content, or replace it.",
            discussion: """
                storebus product content put com.example.guide guide.zip
                storebus product content put com.example.guide guide.zip --content-version 1.1

                The store takes the whole upload or nothing. A product sells once its content is there, and a broken \
                upload changes nothing. Version and length must match the catalogue's hostedContent.
                """)

        @OptionGroup var named: ProductArgument

        @Argument(help: ArgumentHelp("The content, at most 256 MiB.", valueName: "file"), completion: .file())
        var file: String

        @OptionGroup var version: Version
        @OptionGroup var options: AppCommandOptions

        func run() async throws {
            // Checked before any request.
            let length = try UploadFile(file, lengthMax: ContentPartRequest.contentMax).length
            let context = try await options.context()
            let version = try await version.orDeclared(named.product, context)
            let bar = TransferProgress(context.progress, length: length)
            let upload = try UploadFile(file, lengthMax: ContentPartRequest.contentMax) { bar.advance(to: $0) }
            let (content, status) = try await bar.during { () throws(CLIError) in
                try await context.api.upload(
                    upload, to: ContentRoutes.put, [.bundleId: context.bundleId, .id: named.product],
                    query: ["version": version], timeout: context.timeLimit ?? .seconds(600))
            }
            context.print(Self.result(content, isReplaced: status == 200, bundleId: context.bundleId))
        }

        private static func result(_ content: HostedContent, isReplaced: Bool, bundleId: String) -> CommandResult {
            let members = JSONText.value(content).with(["isReplaced": .bool(isReplaced)])
            let product = content.contentIdentifier
            return CommandResult(
                "\(isReplaced ? "replaced" : "uploaded")  \(product)  \(content.contentVersion)  "
                    + "\(content.contentLength) bytes  sha256 \(content.sha256)\n",
                data: members, names: [product],
                next: "storebus buy \(product) --as alice\(AppOptions.flag(bundleId))")
        }
    }

    /// `storebus product content show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show a product's uploaded content.",
            discussion: "storebus product content show com.example.guide")

        @OptionGroup var named: ProductArgument
        @OptionGroup var version: Version
        @OptionGroup var options: AppCommandOptions

        func run() async throws {
            let context = try await options.context()
            let version = try await version.orDeclared(named.product, context)
            let content = try await find(version, context)
            var fields = FieldList()
            fields.add("content", content.contentIdentifier)
            fields.add("version", content.contentVersion)
            fields.add("length", "\(content.contentLength) bytes")
            fields.add("sha256", content.sha256)
            context.print(
                CommandResult(
                    fields, data: JSONText.value(content), names: [content.contentIdentifier],
                    next: "storebus product show \(named.product)\(AppOptions.flag(context.bundleId))"))
        }
    }
}

extension ProductContentCommand.Show {
    private func find(_ version: String, _ context: CommandContext) async throws(CLIError) -> HostedContent {
        let found = try await ifFound { () throws(CLIError) in
            try await context.api.call(
                ContentRoutes.get, [.bundleId: context.bundleId, .id: named.product], query: ["version": version])
        }
        if let found { return found }
        throw CLIError(
            CLIErrorCode(.notFound), "\(named.product) has no content of version \(version) yet",
            hints: ["upload it: storebus product content put \(named.product) FILE"])
    }
}

extension ProductContentCommand.Version {
    /// Returns the named version, or else the one in the catalogue.
    /// - Throws: `productNotFound` with the nearest, `catalogInvalid` for a product without hosted content.
    func orDeclared(_ product: String, _ context: CommandContext) async throws(CLIError) -> String {
        if let contentVersion { return contentVersion }
        // A product without content is not sold and so not listed; the catalogue file has it.
        guard let file = try await context.api.catalogFile(context.bundleId), let entry = Self.entry(product, in: file)
        else {
            throw await DidYouMean.productError(product, bundleId: context.bundleId, context)
        }
        guard let version = entry["hostedContent"]?["version"]?.stringValue else {
            throw CLIError(
                CLIErrorCode(.catalogInvalid), "the catalogue declares no hosted content for \(product)",
                hints: ["give it hostedContent with a version and import it again: docs/catalogue.md"])
        }
        return version
    }

    private static func entry(_ product: String, in file: JSONValue) -> JSONValue? {
        let lists = [file["products"], file["nonRenewingSubscriptions"]].compactMap { $0?.arrayValue }
        return lists.joined().first { $0["productID"]?.stringValue == product }
            ?? (file["subscriptionGroups"]?.arrayValue ?? []).flatMap { $0["subscriptions"]?.arrayValue ?? [] }
            .first { $0["productID"]?.stringValue == product }
    }
}
