import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus promo …`
struct PromoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        "promo", "Promoted purchases: order, visibility, images and a device's overrides.",
        """
        storebus promo list
        storebus promo order com.example.hiddenBeaches com.example.pro.monthly
        storebus promo hide com.example.pro.monthly --device alice-1

        Without --device, these commands change the operator's setup for all customers, as in App Store Connect. \
        With it, they change the overrides that the app sets on one device with \
        SKProductStorePromotionController.
        """,
        subcommands: [
            PromoListCommand.self, PromoOrderCommand.self, PromoHideCommand.self, PromoShowCommand.self,
            PromoDefaultCommand.self, PromoImageCommand.self, PromoFeaturedCommand.self, PromoPageCommand.self,
        ])
}

/// `storebus promo list`
struct PromoListCommand: OneAppCommand, ReadingCommand {
    static let configuration = CommandConfiguration(
        "list", "List promoted products, and why others are not promoted yet.",
        """
        storebus promo list
        storebus promo list --device alice-1
        """, aliases: ["ls"])

    @OptionGroup var target: DeviceOption
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        guard let installation = target.installation(context) else {
            return context.print(
                PromotionTable.result(try await context.api.call(PromotionRoutes.setup, [.bundleId: context.bundleId])))
        }
        context.print(try await DeviceOverrides(installation: installation, context: context).report().result)
    }
}

/// `storebus promo order`
struct PromoOrderCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "order", "Set the promoted products and their order.",
        """
        storebus promo order com.example.hiddenBeaches com.example.pro.monthly
        storebus promo order com.example.pro.monthly --device alice-1
        storebus promo order --device alice-1

        Without --device the list is exactly these products, at most 20, and hidden ones stay hidden. With \
        --device these come first on that device, and the others follow in the operator's order. Without \
        products, --device clears the device's order.
        """)

    @Argument("Products, the first one first.", "product", Completion.products) var products: [String] = []
    @OptionGroup var target: DeviceOption
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard products.isEmpty, target.device == nil else { return }
        throw ValidationError("name the products, the first one first")
    }

    func run(_ context: CommandContext) async throws {
        guard let installation = target.installation(context) else {
            return context.print(try await PromotionList(context: context).order(products))
        }
        let overrides = DeviceOverrides(installation: installation, context: context)
        context.print(try await overrides.order(products))
    }
}

/// `storebus promo hide`
struct PromoHideCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "hide", "Hide a promoted product, everywhere or on one device.",
        """
        storebus promo hide com.example.pro.monthly
        storebus promo hide com.example.pro.monthly --device alice-1

        Hides the product on the product page, in search and on the featured tab.
        """)

    @OptionGroup var named: ProductArgument
    @OptionGroup var target: DeviceOption
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await target.set(.hide, of: named.product, context) }
}

/// `storebus promo show`
struct PromoShowCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "show", "Show a promoted product, everywhere or on one device.",
        """
        storebus promo show com.example.pro.monthly
        storebus promo show com.example.pro.monthly --device alice-1

        With --device, shows a promoted product on that device even if the operator hides it. Without --device, \
        adds a product that is not in the list at its end.
        """)

    @OptionGroup var named: ProductArgument
    @OptionGroup var target: DeviceOption
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws { try await target.set(.show, of: named.product, context) }
}

/// `storebus promo default`
struct PromoDefaultCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "default", "Go back to the default visibility of a product, or to the default order and visibility of all.",
        """
        storebus promo default com.example.pro.monthly --device alice-1
        storebus promo default --device alice-1
        storebus promo default

        With --device, removes what the app has set there, so that the operator's list is in force. Without it, \
        shows the product. Without a product, restores the catalogue's order and shows every promoted product. \
        Images and their reviews stay.
        """)

    @Argument("The product. Default: all, and their order.", "product", Completion.products) var product: String?
    @OptionGroup var target: DeviceOption
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        if let product { return try await target.set(.default, of: product, context) }
        guard let installation = target.installation(context) else {
            return context.print(try await PromotionList(context: context).restoreDefault())
        }
        context.print(try await DeviceOverrides(installation: installation, context: context).removeAll())
    }
}

/// `storebus promo featured`
struct PromoFeaturedCommand: OneAppCommand {
    static let configuration = CommandConfiguration(
        "featured", "Show the featured tab, or set an app's products on it.",
        """
        storebus promo featured
        storebus promo featured com.example.pro.monthly com.example.hiddenBeaches
        storebus promo featured --none

        All apps share one tab. The products replace those of their own app, and other apps' products stay. A \
        device shows those that are also on its page: storebus promo page --featured.
        """)

    @Argument("The app's featured products, the first one first.", "product", Completion.products)
    var products: [String] = []
    @Flag(help: "Feature none of the app's products.") var none = false
    @OptionGroup var app: AppOptions
    @OptionGroup var options: GlobalOptions

    func validate() throws {
        if none, !products.isEmpty { throw ValidationError("--none names no products") }
    }

    func run(_ context: CommandContext) async throws {
        var featured = try await context.api.call(PromotionRoutes.featured).products
        if none || !products.isEmpty {
            let changed = Self.replacing(context.bundleId, in: featured, with: products)
            featured = try await DidYouMean.forProducts(products, context) { () throws(CLIError) in
                try await context.api.call(PromotionRoutes.putFeatured, body: changed).products
            }
        }
        context.print(Self.result(featured, context.bundleId))
    }

    /// Inserts the new products at the first old one's place, or else at the end.
    static func replacing(
        _ bundleId: String, in featured: [ProductReference], with products: [String]
    ) -> [ProductReference] {
        let index = featured.firstIndex { $0.bundleId.isExactly(bundleId) } ?? featured.count
        let others = { (part: ArraySlice<ProductReference>) in part.filter { !$0.bundleId.isExactly(bundleId) } }
        return others(featured[..<index])
            + products.map { ProductReference(bundleId: bundleId, productIdentifier: $0) } + others(featured[index...])
    }

    private static func result(_ featured: [ProductReference], _ bundleId: String) -> CommandResult {
        let table = Table([.right("PLACE"), "PRODUCT", "APP"], featured.enumerated()) { index, product in
            ["\(index + 1)", product.productIdentifier, product.bundleId]
        }
        let items = featured.enumerated().map { index, product -> JSONValue in
            JSONText.value(product).with(["place": .integer(index + 1)])
        }
        let option = AppOptions.flag(bundleId)
        return CommandResult(
            table, items: items, names: featured.map(\.productIdentifier),
            next: featured.isEmpty
                ? "storebus promo list\(option)" : "storebus promo page --featured --as alice\(option)",
            ifEmpty: "nothing is featured")
    }
}

/// Changes the operator's list, which the store replaces as a whole.
struct PromotionList: Sendable {
    let context: CommandContext

    /// Sets the list to these products. Hidden ones stay hidden.
    func order(_ products: [String]) async throws(CLIError) -> CommandResult {
        let before = try await context.api.call(PromotionRoutes.setup, [.bundleId: context.bundleId])
        let hidden = Set(exactly: before.promotions.filter { !$0.visible }.map(\.productIdentifier))
        return try await put(
            products.map { PromotionEntry(productIdentifier: $0, visible: !hidden.containsExactly($0)) }, before)
    }

    /// Shows or hides a product. A new one is appended.
    func set(isVisible: Bool, _ product: String) async throws(CLIError) -> CommandResult {
        let before = try await context.api.call(PromotionRoutes.setup, [.bundleId: context.bundleId])
        var entries = Self.entries(before)
        if let index = entries.firstIndex(where: { $0.productIdentifier.isExactly(product) }) {
            entries[index].visible = isVisible
        } else {
            entries.append(PromotionEntry(productIdentifier: product, visible: isVisible))
        }
        return try await put(entries, before)
    }

    /// Sorts the list as the catalogue does and shows every product.
    func restoreDefault() async throws(CLIError) -> CommandResult {
        let before = try await context.api.call(PromotionRoutes.setup, [.bundleId: context.bundleId])
        let catalogue = try await context.api.catalogProducts(context.bundleId)
            .map(\.productIdentifier)
        let listed = Self.entries(before).map(\.productIdentifier)
        // Unavailable products are not in the catalogue's list; they keep their order after the others.
        let ordered = catalogue.filter { listed.contains($0) } + listed.filter { !catalogue.contains($0) }
        return try await put(ordered.map { PromotionEntry(productIdentifier: $0, visible: true) }, before)
    }

    /// Returns the entries of a list, cut to the maximum length.
    private static func entries(_ setup: PromotionSetup) -> [PromotionEntry] {
        setup.promotions.prefix(PutPromotionsRequest.entriesMax).map {
            PromotionEntry(productIdentifier: $0.productIdentifier, visible: $0.visible)
        }
    }

    private func put(_ entries: [PromotionEntry], _ before: PromotionSetup) async throws(CLIError) -> CommandResult {
        let after = try await DidYouMean.forProducts(entries.map(\.productIdentifier), context) {
            () throws(CLIError) in
            try await context.api.call(PromotionRoutes.putSetup, [.bundleId: context.bundleId], body: entries)
        }
        return PromotionTable.result(after, replacing: before)
    }
}

/// Reads and changes an app's overrides on one device.
struct DeviceOverrides: Sendable {
    let installation: InstallationReference
    let context: CommandContext

    func report() async throws(CLIError) -> DevicePromotionsReport {
        DevicePromotionsReport(
            setup: try await context.api.call(PromotionRoutes.setup, [.bundleId: installation.bundleId]),
            device: try await context.api.knownDevice(installation.deviceId), installation: installation)
    }

    /// Sets the order. An empty one removes the override.
    func order(_ products: [String]) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts(products, context) { () throws(CLIError) in
                try await put(order: products)
            }
        }
        return try await report().result
    }

    func set(_ visibility: StorePromotionVisibility, of product: String) async throws(CLIError) -> CommandResult {
        try await withLaunchHint { () throws(CLIError) in
            try await DidYouMean.forProducts([product], context) { () throws(CLIError) in
                try await put(visibility, of: product)
            }
        }
        return try await report().result
    }

    /// Removes all overrides.
    func removeAll() async throws(CLIError) -> CommandResult {
        let device = try await context.api.knownDevice(installation.deviceId)
        let app = device?.apps.first { $0.bundleId.isExactly(installation.bundleId) }
        let overrides = app?.overrides ?? PromotionOverrides()
        if !overrides.order.isEmpty { try await put(order: []) }
        for product in overrides.visibility.keys.sorted().map(\.text) {
            try await put(.default, of: product)
        }
        return try await report().result
    }

    private func put(order: [String]) async throws(CLIError) {
        let request = context.api.request(PromotionRoutes.putDeviceOrder, installation.pathValues)
        _ = try await context.api.exchange(request.with(NewOrder(productIdentifiers: order)))
    }

    private func put(_ visibility: StorePromotionVisibility, of product: String) async throws(CLIError) {
        let values = installation.pathValues.merging([.productIdentifier: product]) { $1 }
        let request = context.api.request(PromotionRoutes.putDeviceVisibility, values)
        _ = try await context.api.exchange(request.with(NewVisibility(visibility: visibility)))
    }

    private func withLaunchHint(_ body: () async throws(CLIError) -> Void) async throws(CLIError) {
        do {
            try await body()
        } catch {
            guard error.is(.appNeverLaunched) else { throw error }
            let account = CustomerOptions.owner(of: installation.deviceId) ?? "ACCOUNT"
            let option = AppOptions.flag(installation.bundleId)
            throw error.with(hints: [
                "launch it: storebus device add \(installation.deviceId) --as \(account)\(option)"
            ])
        }
    }
}

/// Selects the operator's list or the overrides of one device.
struct DeviceOption: ParsableArguments {
    @Option(
        "The overrides that the app set on this device, instead of the operator's list.", "device", Completion.devices)
    var device: String?

    func installation(_ context: CommandContext) -> InstallationReference? {
        device.map { InstallationReference(bundleId: context.bundleId, deviceId: $0) }
    }

    /// Sets the visibility of one product and prints the list.
    fileprivate func set(
        _ visibility: StorePromotionVisibility, of product: String, _ context: CommandContext
    ) async throws(CLIError) {
        guard let installation = installation(context) else {
            return context.print(
                try await PromotionList(context: context).set(isVisible: visibility != .hide, product))
        }
        context.print(
            try await DeviceOverrides(installation: installation, context: context).set(visibility, of: product))
    }
}
