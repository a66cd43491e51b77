import ArgumentParser
import StoreModels

/// Which product is shown or hidden, and where.
struct VisibilityArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: Completion.products)
    var product: String

    @OptionGroup var place: DeviceOption

    func set(_ visibility: StorePromotionVisibility, _ global: GlobalOptions) async throws(CLIError) {
        let context = try await CommandContext.find(global, app: place.app)
        guard let installation = place.installation(context) else {
            return context.print(
                try await PromotionList(context: context).set(isVisible: visibility != .hide, product))
        }
        let overrides = DeviceOverrides(installation: installation, context: context)
        context.print(try await overrides.set(visibility, of: product))
    }
}

/// `storebus promo hide`
struct PromoHideCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hide", abstract: "Hide a promoted product, everywhere or on one device.",
        discussion: """
            storebus promo hide com.example.pro.monthly
            storebus promo hide com.example.pro.monthly --device alice-1

            It is hidden on the product page, in search and on the featured tab alike.
            """)

    @OptionGroup var named: VisibilityArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await named.set(.hide, global) }
}

/// `storebus promo show`
struct PromoShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a promoted product, everywhere or on one device.",
        discussion: """
            storebus promo show com.example.pro.monthly
            storebus promo show com.example.pro.monthly --device alice-1

            With --device also what the operator hides is shown there, if it is promoted. Without it a product that is \
            not in the list comes to its end.
            """)

    @OptionGroup var named: VisibilityArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await named.set(.show, global) }
}

/// `storebus promo default`
struct PromoDefaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default", abstract: "Leave a product's visibility on a device to the operator again.",
        discussion: """
            storebus promo default com.example.pro.monthly --device alice-1

            Without --device: visible, which is what the operator has not hidden.
            """)

    @OptionGroup var named: VisibilityArguments
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await named.set(.default, global) }
}
