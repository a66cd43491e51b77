import Guides
import StoreKit

/// The app's user interface, as lines of text.
@MainActor final class GuideScreen {
    private let store: Store
    private var shown: [String] = []

    init(_ store: Store) { self.store = store }

    /// The customer's purchases, subscription and messages, a line each.
    var status: [String] {
        var lines = store.products.filter { store.owned.contains($0.id) }.map { "owned    \($0.displayName)" }
        lines += store.products.filter { store.pending.contains($0.id) }.map { "waiting  \($0.displayName)" }
        if store.dayMaps.left > 0 { lines.append("maps     \(store.dayMaps.left) for a day each") }
        if let membership = store.membership { lines.append("pro      \(text(of: membership))") }
        if let (product, offer) = store.winBack { lines.append("offer    \(product.displayName): \(offer.text)") }
        lines += store.messages.map { "message  \($0.reason.localizedDescription)" }
        if let problem = store.problem { lines.append("problem  \(problem)") }
        return lines
    }

    func showProducts() {
        for (number, product) in store.products.enumerated() {
            print("\(number + 1)  \(product.displayName), \(store.priceText(of: product))")
        }
        print("A number buys. Others: map, back, restore, refund NUMBER, messages, list, quit.")
        shown = []
        showChanges()
    }

    /// Shows the lines that have changed.
    func showChanges() {
        let lines = status
        for line in lines where !shown.contains(line) { print(line) }
        for line in shown where !lines.contains(line) && line.hasPrefix("owned") {
            print("lost     \(line.dropFirst(9))")
        }
        shown = lines
    }

    func show(_ error: any Error) { print("failed   \(error.localizedDescription)") }

    /// Prints a line at once, also without a terminal.
    private func print(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    /// Handles a line that the customer has typed.
    /// - Returns: Whether the app goes on.
    func handle(_ line: String) async -> Bool {
        let words = line.split(separator: " ").map(String.init)
        do {
            switch words.first ?? "" {
            case "quit": return false
            case "list": showProducts()
            case "map": print(try store.useDayMap() ? "Here is today's map." : "You have no map.")
            case "back": try await comeBack()
            case "restore": try await store.restore()
            case "messages": store.showMessages(in: self)
            case "refund": try await refund(words.last ?? "")
            case let number:
                if let product = product(number) { try await buy(product) } else { print("There is no '\(line)'.") }
            }
        } catch {
            show(error)
        }
        showChanges()
        return true
    }

    private func product(_ number: String) -> Product? {
        guard let number = Int(number), store.products.indices.contains(number - 1) else { return nil }
        return store.products[number - 1]
    }

    private func buy(_ product: Product, options: Set<Product.PurchaseOption> = []) async throws {
        switch try await store.buy(product, options: options) {
        case .bought: print("bought   \(product.displayName)")
        case .pending, .cancelled: break
        }
    }

    private func comeBack() async throws {
        guard let (product, offer) = store.winBack else { return print("There is no offer.") }
        try await buy(product, options: [.winBackOffer(offer)])
    }

    private func refund(_ number: String) async throws {
        guard let product = product(number) else { return print("There is no '\(number)'.") }
        switch try await store.requestRefund(of: product.id, in: self) {
        case .success: print("asked    for the money back")
        case .userCancelled: break
        case nil: print("You have not bought it.")
        @unknown default: break
        }
    }

    private func text(of membership: Membership) -> String {
        let end = membership.end?.formatted(.iso8601.year().month().day()) ?? ""
        return switch membership.state {
        case .subscribed where membership.renewal.willAutoRenew: "renews \(end)"
        case .subscribed: "ends \(end)"
        case .inGracePeriod: "until \(end), because your payment has failed"
        case .inBillingRetryPeriod: "locked, because your payment has failed"
        case .revoked: "refunded"
        default: "ended \(end)"
        }
    }
}
