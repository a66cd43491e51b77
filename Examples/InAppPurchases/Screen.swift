import Foundation
import StoreKitClient

/// The app's user interface, as lines of text.
enum Screen {
    /// Prints lines without buffering, also without a terminal.
    static func show(_ text: String) {
        let line = text.hasSuffix("\n") ? text : "\(text)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }

    /// Returns the products and purchases, in sections as in Apple's sample app.
    static func lists(_ manager: StoreManager, _ purchases: PurchaseHistory) -> String {
        let products = manager.availableProducts.enumerated().map { index, product in
            row("\(index + 1)", product.localizedTitle, product.priceText)
        }
        return section("PRODUCTS FOR SALE", products)
            + section("INVALID PRODUCT IDENTIFIERS", manager.invalidProductIdentifiers.map { row("", $0, "") })
            + section("PURCHASED", purchases.purchased.enumerated().map { purchase("p\($0 + 1)", $1) })
            + section("RESTORED", purchases.restored.enumerated().map { purchase("r\($0 + 1)", $1) })
    }

    /// Returns the line of a purchase, named `p1` or `r1`.
    static func purchase(_ name: String, _ transaction: SKPaymentTransaction) -> String {
        row(
            name, StoreManager.shared.title(matchingIdentifier: transaction.payment.productIdentifier),
            transaction.transactionIdentifier ?? "")
    }

    /// Returns the details of a purchase, as in Apple's sample app. Hosted content and restored purchases have more.
    static func information(_ transaction: SKPaymentTransaction) -> String {
        var rows = [
            ("Product identifier", transaction.payment.productIdentifier),
            ("Transaction identifier", transaction.transactionIdentifier ?? ""),
            ("Transaction date", date(transaction.transactionDate)),
        ]
        for download in transaction.downloads {
            rows.append(("Content identifier", download.contentIdentifier))
            rows.append(("Content version", download.contentVersion))
            rows.append(("Content length", "\(download.contentLength)"))
        }
        if let original = transaction.original {
            rows.append(("Original transaction", original.transactionIdentifier ?? ""))
            rows.append(("Original date", date(original.transactionDate)))
        }
        return section("PURCHASE INFORMATION", rows.map { "  \(padded($0, 24))\($1)" })
    }

    private static func section(_ title: String, _ rows: [String]) -> String {
        rows.isEmpty ? "" : "\(title)\n" + rows.map { "\($0)\n" }.joined()
    }

    private static func row(_ name: String, _ title: String, _ detail: String) -> String {
        let text = "  \(padded(name, 4))\(padded(title, 32))\(detail)"
        return String(text.reversed().drop { $0 == " " }.reversed())
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func date(_ date: Date?) -> String {
        guard let date else { return "" }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss'Z'"
        return formatter.string(from: date)
    }
}
