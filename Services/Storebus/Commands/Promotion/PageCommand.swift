import ArgumentParser
import StoreModels

/// `storebus page`
struct PageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "See the store as a device shows it: product page, search or featured tab.",
        discussion: """
            storebus page --as alice
            storebus page --device alice-2
            storebus page --as alice --search beach
            storebus page --as alice --featured

            Opens the App Store app and not the account's own: nothing is launched. storebus promo list --device says \
            why a product is not shown.
            """)

    @Option(help: ArgumentHelp("Only what has all of these words.", valueName: "words"))
    var search: String?

    @Flag(help: "The featured tab.")
    var featured = false

    @OptionGroup var shopper: ShopperOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if search != nil, featured { throw ValidationError("--search and --featured are two views") }
    }

    private var view: StoreAPI.StoreView { featured ? .featured : search.map { .search($0) } ?? .page }

    func run() async throws {
        let context = try await CommandContext.find(global, app: shopper.app)
        let installation = shopper.installation(context)
        let session = try await context.sessions.store(installation)
        let page = try await context.api.view(view, token: session.token)
        var answer = StorePageTable.answer(page, view: view, installation: installation)
        if page.promotions.isEmpty, view == .page, let reason = await unsupported(installation, context) {
            answer.notes.append(reason)
        }
        context.print(answer)
    }

    private func unsupported(_ installation: Installation, _ context: CommandContext) async -> String? {
        guard let device = try? await context.api.device(installation.deviceId) else { return nil }
        return PromotionSupport.promotionsUnsupported(platform: device.platform, osVersion: device.osVersion)
    }
}
