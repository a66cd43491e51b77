import ArgumentParser
import Glibc
import StoreHTTP
import StoreModels
import StorebusTesting

@testable import Storebus

/// Products, transactions and a session as the gateway would answer them.
enum Fixtures {
    static let dollar = Currency(code: "USD") ?? { preconditionFailure("USD is a currency code") }()

    static func money(_ amount: String) -> Money {
        Money(amount: amount, currency: dollar) ?? { preconditionFailure("'\(amount)' is no amount") }()
    }

    /// The context of a command with these flags, which speaks with the script.
    static func context(
        _ transport: StubTransport, _ recorder: Recorder, _ arguments: String...
    ) async throws -> CommandContext {
        let environment = CommandEnvironment(console: recorder.console, currentDirectory: "/nowhere")
        let options = try await Self.options(arguments)
        return CommandContext(
            environment: environment, options: options,
            settings: try EffectiveSettings.find(url: "http://store", data: nil, environment), api: transport.api())
    }

    /// The options of a command with these flags. Completions that ask the store need a command that is asynchronous.
    static func options(_ arguments: [String]) async throws -> GlobalOptions {
        struct Command: AsyncParsableCommand {
            @OptionGroup var options: GlobalOptions
        }
        return try await Command.asyncParse(arguments).options
    }

    /// A directory in which a store of the address runs: its data are in `.storebus`.
    static func project(_ url: String) throws -> (place: TemporaryDirectory, directory: DataDirectory) {
        let place = try TemporaryDirectory()
        let directory = DataDirectory(place.file(".storebus"))
        try directory.prepare()
        try FileAccess.write(Array("secret\n".utf8), to: directory.adminKey, mode: 0o600)
        try RunRecord(
            pid: getpid(), url: url, busURL: "storebus://127.0.0.1:7420", monitorPort: nil,
            dataDirectory: directory.path, startedAt: .wallClock(), version: StorebusVersion.number
        ).write(to: directory)
        return (place, directory)
    }

    static let session = SessionResponse(
        token: "token", expiresAt: Timestamp.wallClock() + .seconds(3600),
        storefront: Storefront(countryCode: "USA", identifier: "143441"), canMakePayments: true,
        deviceVerificationId: "9b1f3f0e-2f0b-8e0a-8c0e-4f5a1b2c3d4e")

    static func product(
        _ identifier: String, _ amount: String, period: SubscriptionPeriod? = nil, trial: Bool = false
    ) -> Product {
        let week = SubscriptionPeriod(numberOfUnits: 1, unit: .week)
        return with(
            Product(
                productIdentifier: identifier, type: trial || period != nil ? .autoRenewable : .nonConsumable,
                localizedTitle: "Title of \(identifier)", localizedDescription: "", price: money(amount),
                priceLocale: "en_US@currency=USD", subscriptionPeriod: period,
                subscriptionGroupIdentifier: trial ? "pro" : nil)
        ) {
            $0.introductoryPrice =
                trial
                ? ProductDiscount(
                    identifier: nil, type: .introductory, price: money("0.00"), priceLocale: "en_US@currency=USD",
                    paymentMode: .freeTrial, subscriptionPeriod: week, numberOfPeriods: 1) : nil
            $0.introductoryOfferEligibility = trial ? .eligible : nil
        }
    }

    /// One with content of ``contentBytes``.
    static func hosted(_ identifier: String, _ amount: String) -> Product {
        var product = product(identifier, amount)
        product.isDownloadable = true
        product.downloadContentVersion = "1.0"
        product.downloadContentLengths = [Int64(contentBytes.count)]
        return product
    }

    static let contentBytes = Array("hello, beach".utf8)

    static let content = HostedContent(
        contentIdentifier: "hidden-beaches", contentVersion: "1.0", contentLength: Int64(contentBytes.count),
        sha256: "9f86d081")

    static func download(_ state: Download.State, error: TransactionError? = nil) -> Download {
        Download(
            id: "d_1", transactionId: "t_1", state: state, contentIdentifier: "hidden-beaches", contentVersion: "1.0",
            contentLength: Int64(contentBytes.count), error: error)
    }

    /// One without an identifier has no outcome, so neither date nor price.
    static func transaction(
        _ id: String, _ state: TransactionState, identifier: String? = nil, downloads: [Download] = []
    ) -> PaymentTransaction {
        let isPurchased = state == .purchased
        return with(
            PaymentTransaction(
                id: id, transactionIdentifier: identifier, transactionState: state,
                transactionDate: isPurchased ? Timestamp("2026-11-21T10:00:04Z") : nil,
                payment: Payment(requestIdentifier: "key", productIdentifier: "pro.monthly"), downloads: downloads,
                revision: 1, originDeviceId: "alice-1", price: isPurchased ? money("9.99") : nil)
        ) {
            $0.deliveries = 2
            $0.expiresDate = isPurchased ? Timestamp("2026-11-28T10:00:04Z") : nil
            $0.isTrialPeriod = isPurchased ? true : nil
        }
    }
}
