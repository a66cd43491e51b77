import StoreModels

/// What `reset --settings` and `--everything` take back besides what was bought.
struct SettingsReset: Sendable {
    /// Accounts of which something was set.
    private var accounts: [String] = []
    private var devices: [String] = []
    /// The app's settings as they become; nil: they stay.
    private var settings: AppSettings?

    /// Looks what there is, and changes nothing.
    static func find(
        _ isWanted: Bool, devices: Bool, _ context: CommandContext
    ) async throws(CLIError) -> SettingsReset {
        var reset = SettingsReset()
        guard isWanted else { return reset }
        let testers = try await context.api.testers()
        reset.accounts = testers.filter { !TesterTable.members($0.overrides).isEmpty }.map(\.account)
        let app = try await Known.app(context)
        let imported = AppSettings(name: app.settings.name, billingGracePeriod: try await gracePeriod(context))
        if app.settings != imported { reset.settings = imported }
        if devices { reset.devices = try await context.api.devices().map(\.deviceId) }
        return reset
    }

    /// As the catalogue in force says.
    private static func gracePeriod(_ context: CommandContext) async throws(CLIError) -> Bool {
        do throws(CLIError) {
            let bytes = try await context.api.exportCatalog(context.bundleId)
            let file = try? StrictJSON.parse(bytes)
            return file?["settings"]?["_billingGracePeriodEnabled"]?.boolValue ?? false
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            return false
        }
    }

    /// `the settings of 3 accounts`
    var words: [String] {
        var words: [String] = []
        if !accounts.isEmpty { words.append("the settings of \(Words.count(accounts.count, "account"))") }
        if settings != nil { words.append("the app's settings") }
        if !devices.isEmpty { words.append(Words.count(devices.count, "device")) }
        return words
    }

    func run(_ context: CommandContext) async throws(CLIError) {
        for account in accounts { try await context.api.resetTester(account) }
        if let settings { _ = try await context.api.putApp(context.bundleId, settings) }
        for device in devices { try await context.api.deleteDevice(device) }
    }
}
