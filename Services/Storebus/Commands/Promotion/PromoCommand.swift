import ArgumentParser
import StoreModels

/// `storebus promo …`
struct PromoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promo", abstract: "Promoted purchases: order, visibility and images; overrides of a device.",
        discussion: """
            storebus promo list
            storebus promo order com.example.hiddenBeaches com.example.pro.monthly
            storebus promo hide com.example.pro.monthly --device alice-1

            Without --device, what the operator sets up for everybody, as in App Store Connect. With it, what the app has \
            set on one device with SKProductStorePromotionController.
            """,
        subcommands: [
            PromoListCommand.self, PromoOrderCommand.self, PromoHideCommand.self, PromoShowCommand.self,
            PromoDefaultCommand.self, PromoResetCommand.self, PromoImageCommand.self, PromoFeaturedCommand.self,
        ])
}

/// `storebus promo list`
struct PromoListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is promoted and what is not yet, and why.",
        discussion: """
            storebus promo list
            storebus promo list --device alice-1
            """, aliases: ["ls"])

    @OptionGroup var place: DeviceOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: place.app)
        guard let installation = place.installation(context) else {
            return context.print(PromotionTable.answer(try await context.api.promotions(context.bundleId)))
        }
        context.print(try await DeviceOverrides(installation: installation, context: context).report().answer)
    }
}

/// `storebus promo order`
struct PromoOrderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order", abstract: "Say which products are promoted, in which order.",
        discussion: """
            storebus promo order com.example.hiddenBeaches com.example.pro.monthly
            storebus promo order com.example.pro.monthly --device alice-1
            storebus promo order --device alice-1

            Without --device the list is exactly these, 20 at most; what was hidden stays so. With --device these come \
            first there and the others follow as the operator has them; none clears the device's order.
            """)

    @Argument(
        help: ArgumentHelp("Products, the first one first.", valueName: "product"), completion: Completion.products)
    var products: [String] = []

    @OptionGroup var place: DeviceOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard products.isEmpty, place.device == nil else { return }
        throw ValidationError("name the products, the first one first")
    }

    func run() async throws {
        let context = try await CommandContext.find(global, app: place.app)
        guard let installation = place.installation(context) else {
            return context.print(try await PromotionList(context: context).order(products))
        }
        let overrides = DeviceOverrides(installation: installation, context: context)
        context.print(try await overrides.order(products))
    }
}

/// `storebus promo reset`
struct PromoResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Put order and visibility back.",
        discussion: """
            storebus promo reset --device alice-1
            storebus promo reset

            With --device everything the app has set there goes. Without it the promoted products stand in the \
            catalogue's order again, and none is hidden; images and their reviews stay.
            """)

    @OptionGroup var place: DeviceOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await CommandContext.find(global, app: place.app)
        guard let installation = place.installation(context) else {
            return context.print(try await PromotionList(context: context).reset())
        }
        context.print(try await DeviceOverrides(installation: installation, context: context).reset())
    }
}
