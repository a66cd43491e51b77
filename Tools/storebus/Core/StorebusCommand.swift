import ArgumentParser
import StoreModels

/// The root command, `storebus`.
struct StorebusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storebus",
        abstract: "A StoreKit-shaped store on your own machine.",
        discussion: """
            storebus up                               start a store, with a sample
            storebus up --import App.storekit         start one with your own products
            storebus buy PRODUCT --as alice           buy something
            storebus watch --as alice                 watch alice's app receive it
            storebus finish TRANSACTION --as alice    finish its transaction
            storebus restore --as alice               restore alice's purchases
            storebus time advance 3mo                 let three months pass, with their renewals
            storebus promo page --as alice            see the products promoted to alice

            The command line finds the store by .storebus/run/up.json here or in a directory above, unless --data, \
            --url, STOREBUS_URL and STOREBUS_ADMIN_KEY say otherwise. --store or STOREBUS_STORE names an isolated \
            store of it. Only listen uses the network beyond the store's address, and traces where OpenTelemetry's \
            variables name a collector. Results go to standard output, \
            everything else to standard error. -o json prints everything a table shows and more.

            Exit status:
            \(exitTable)
            """,
        version: StorebusVersion.line,
        groupedSubcommands: [
            CommandGroup(
                name: "Server",
                subcommands: [
                    UpCommand.self, DownCommand.self, StatusCommand.self, LogsCommand.self, EnvCommand.self,
                    TrustCommand.self, DoctorCommand.self, ConfigCommand.self, OpenCommand.self,
                ]),
            CommandGroup(
                name: "Catalogue",
                subcommands: [
                    ImportCommand.self, ExportCommand.self, AppCommand.self, ProductCommand.self,
                    StorefrontCommand.self,
                ]),
            CommandGroup(
                name: "Shopping",
                subcommands: [
                    BuyCommand.self, ApproveCommand.self, DeclineCommand.self, ResolveCommand.self, FinishCommand.self,
                    RedeliverCommand.self, RestoreCommand.self, RefundCommand.self, RevokeCommand.self,
                    CodeCommand.self, SubCommand.self, DownloadCommand.self, TxCommand.self, WatchCommand.self,
                    DeviceCommand.self,
                    ReceiptCommand.self,
                ]),
            CommandGroup(
                name: "Promotion", subcommands: [PromoCommand.self, IntentCommand.self]),
            CommandGroup(
                name: "Explain",
                subcommands: [EligibilityCommand.self, WhyCommand.self, VerifyCommand.self, TraceCommand.self]),
            CommandGroup(
                name: "Notifications",
                subcommands: [NotificationsCommand.self, ListenCommand.self, TriggerCommand.self]),
            CommandGroup(name: "Time", subcommands: [TimeCommand.self]),
            CommandGroup(
                name: "Testing",
                subcommands: [
                    AccountCommand.self, FamilyCommand.self, PromptCommand.self, WaitCommand.self, ResetCommand.self,
                    KeyCommand.self, CertificatesCommand.self, StoreCommand.self, ScenarioCommand.self,
                    ChaosCommand.self,
                ]),
            CommandGroup(name: "Bus", subcommands: [BusCommand.self]),
            CommandGroup(name: "Misc", subcommands: [CompletionsCommand.self, MCPCommand.self, VersionCommand.self]),
        ])

    init() {}

    private static var exitTable: String {
        CLIExit.allCases.map { status in
            let number = "\(status.rawValue)"
            return String(repeating: " ", count: 5 - number.count) + number + "  " + status.meaning
        }.joined(separator: "\n")
    }
}
