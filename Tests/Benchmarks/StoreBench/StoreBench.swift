import BusClient
import BusService
import EventLoop
import FoundationEssentials
import Logging
import StoreModels

/// A client of a running store's services, over the bus: what `make bench-subscriptions` prepares and asks with.
///
///     StoreBench subscribe <bus port> <token file> <app> <product> <accounts> <callers>
///     StoreBench history   <bus port> <token file> <app> <account> <product> <transactions> <callers>
///     StoreBench ask       <bus port> <token file> <app> <customer> <products or -> <callers> <seconds>
///
/// Each prints `PROGRESS <count>` once a second while it goes on, and one line of JSON at the end.
@main struct StoreBench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 4, let port = Int(arguments[1]) else { throw StoreBenchUsage() }
        let loop = try UVLoop.start(name: "bench")
        let bus = try await connect(port: port, tokenFile: arguments[2], loop: loop)
        let store = StoreClient(
            services: ServiceCaller(bus: bus, caller: "bench"), bundleId: arguments[3], loop: loop)
        let rest = Array(arguments.dropFirst(4))
        switch (arguments[0], rest.count) {
        case ("subscribe", 3):
            print(
                try await Subscribing(store: store, product: rest[0], accounts: number(rest[1])).run(
                    callers: number(rest[2])))
        case ("history", 4):
            print(
                try await History(store: store, account: rest[0], product: rest[1]).run(
                    transactions: number(rest[2]), callers: number(rest[3])))
        case ("ask", 4):
            let products = rest[1] == "-" ? nil : rest[1].split(separator: ",").map(String.init)
            print(
                try await AskEligibility(store: store, customer: rest[0], products: products).run(
                    callers: number(rest[2]), duration: .seconds(number(rest[3]))))
        default: throw StoreBenchUsage()
        }
        await bus.close()
        await loop.close()
    }

    private static func number(_ text: String) throws(StoreBenchUsage) -> Int {
        guard let value = Int(text), value > 0 else { throw StoreBenchUsage() }
        return value
    }

    private static func connect(port: Int, tokenFile: String, loop: UVLoop) async throws -> SBPClient {
        let token = try String(contentsOfFile: tokenFile, encoding: .utf8).filter { !$0.isWhitespace }
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let bus = SBPClient(
            configuration: .init(url: BusURL(port: port, token: token), name: "bench"), loop: loop, logger: logger)
        bus.start()
        try await bus.waitUntilConnected(timeout: .seconds(5))
        return bus
    }
}

/// What the command line must look like.
struct StoreBenchUsage: Error, CustomStringConvertible {
    var description: String {
        "usage: StoreBench subscribe PORT TOKENFILE APP PRODUCT ACCOUNTS CALLERS"
            + " | StoreBench history PORT TOKENFILE APP ACCOUNT PRODUCT TRANSACTIONS CALLERS"
            + " | StoreBench ask PORT TOKENFILE APP CUSTOMER PRODUCTS CALLERS SECONDS"
    }
}
