import ArgumentParser
import StoreModels

/// `storebus time …`
struct TimeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "time", abstract: "An app's clock: look at it, move it, make it run faster, stop it.",
        discussion: """
            storebus time status
            storebus time advance 3mo
            storebus time rate 30s=1mo

            Each app has a clock of its own, which purchases, renewals, trials and receipts go by. It begins with the \
            wall's time. Moving it forward runs everything that falls due on the way, in its order, each once. The \
            machine's clock is not touched.
            """,
        subcommands: [
            Status.self, TimeAdvanceCommand.self, TimeToCommand.self, TimeNextCommand.self, TimeRateCommand.self,
            Freeze.self, Real.self,
        ])

    /// `storebus time status`
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show what time it is for an app, and when something is due.",
            discussion: "storebus time status")

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let clock = try await context.api.clock(context.bundleId)
            context.print(ClockFacts(clock, of: try? await context.api.app(context.bundleId)).answer)
        }
    }

    /// `storebus time freeze`
    struct Freeze: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "freeze", abstract: "Stop the clock: time passes by time advance, to and next only.",
            discussion: """
                storebus time freeze

                A rate, or storebus time real, lets it run again.
                """)

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let clock = try await context.api.putClock(context.bundleId, isFrozen: true)
            context.print(ClockFacts(clock, of: try? await context.api.app(context.bundleId)).answer)
        }
    }

    /// `storebus time real`
    struct Real: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "real", abstract: "Let the clock run as fast as the wall's, from where it stands.",
            discussion: """
                storebus time real
                storebus time real --now

                With --now it also shows the wall's time again, which may be earlier: what was billed is not billed again.
                """)

        @Flag(help: "Set it to the wall's time too.")
        var now = false

        @OptionGroup var app: AppOptions
        @OptionGroup var global: GlobalOptions

        func run() async throws {
            let context = try await CommandContext.find(global, app: app)
            let clock = try await context.api.putClock(
                context.bundleId, rate: .realTime, now: now ? .wallClock() : nil, isFrozen: false)
            context.print(ClockFacts(clock, of: try? await context.api.app(context.bundleId)).answer)
        }
    }
}

/// `storebus time rate`
struct TimeRateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Say how fast the clock runs.",
        discussion: """
            storebus time rate one-renewal-every-thirty-seconds
            storebus time rate 30s=1mo
            storebus time rate 720

            A name of StoreKit's, as Xcode has them; so much real time for so much of the store's; or a factor. The clock \
            runs evenly: under a name a month of 30 days takes the named time and every other period its share of it. A \
            month is 30 days in REAL=STORE too, and a year 365. A clock that was frozen runs again. Periods themselves \
            are shortened by an account's own rate instead: storebus account set --renewal-rate.
            """)

    @Argument(
        help: ArgumentHelp("How fast.", valueName: "rate"), completion: .list(RateText.words))
    var rate: String

    @OptionGroup var app: AppOptions
    @OptionGroup var global: GlobalOptions

    func validate() throws { try RateText.validate("a rate", rate) }

    func run() async throws {
        let context = try await CommandContext.find(global, app: app)
        let clock = try await context.api.putClock(
            context.bundleId, rate: RateText.rate(rate), isFrozen: false)
        context.print(ClockFacts(clock, of: try? await context.api.app(context.bundleId)).answer)
    }
}
