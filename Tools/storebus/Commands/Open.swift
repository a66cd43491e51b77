import ArgumentParser
import StoreHTTP
import StoreModels

/// `storebus open`
struct OpenCommand: ContextCommand, TerminalCommand {
    static let configuration = CommandConfiguration(
        "open", "Open the store's console in a browser.",
        """
        storebus open
        storebus open --print
        storebus open --store t-7

        Prints the console's address with a ticket, which signs a browser in without the admin key. A ticket is valid \
        once, for a minute. On a terminal the address is also opened, by xdg-open where that is installed. With \
        --store, the console shows that isolated store.
        """)

    @Flag(name: .customLong("print"), help: "Only print the address.") var onlyPrints = false
    @OptionGroup var options: GlobalOptions

    func run(_ context: CommandContext) async throws {
        let url = context.api.address.installation
        let description: JSONValue = .string(url + MonitoringRoutes.openAPI.route.path.description)
        guard context.api.adminKey != nil else {
            let page = context.settings.store.map { "\(url)/#/?store=\($0.text)" } ?? url
            return context.print(
                "\(page)\n", data: ["url": .string(page), "openAPI": description], names: [page],
                next: "storebus status",
                notes: ["no admin key is known here, so the console asks for it; set STOREBUS_ADMIN_KEY"])
        }
        let (address, expiresAt) = try await context.api.consoleAddress()
        let isOpened = opensBrowser(context) && context.environment.openPage(address, context.environment.variables)
        context.print(
            "\(address)\n",
            data: [
                "url": .string(address), "openAPI": description, "expiresAt": JSONText.value(expiresAt),
            ], names: [address], next: "storebus status",
            notes: [isOpened ? "opened in the browser" : "the address signs one browser in, within a minute"])
    }

    private func opensBrowser(_ context: CommandContext) -> Bool {
        !onlyPrints && context.environment.terminal.isOutput && context.format == .human
    }
}
