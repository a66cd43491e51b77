import StoreModels

/// Formats values of the store for sentences and tables.
enum Format {
    /// `9.99 USD`, as the receipt says it: digits and currency, in any locale.
    static func price(_ money: Money) -> String { "\(money.amount) \(money.currency)" }

    /// `2026-11-28 10:00:04Z`
    static func time(_ timestamp: Timestamp) -> String {
        var text = timestamp.description
        if let dot = text.firstIndex(of: ".") { text = "\(text[..<dot])Z" }
        return text.split(separator: "T", maxSplits: 1).joined(separator: " ")
    }

    /// `10:00:04`, UTC
    static func clock(_ timestamp: Timestamp) -> String {
        time(timestamp).split(separator: " ").last.map { String($0.dropLast()) } ?? ""
    }

    /// `1 month`, `3 months`
    static func period(_ period: SubscriptionPeriod) -> String { period.description }

    /// The price of a product: `4.99 USD`, `9.99 USD a month`, `59.99 USD every 3 months`.
    static func price(of product: Product) -> String {
        guard let period = product.subscriptionPeriod else { return price(product.price) }
        return "\(price(product.price)) \(every(period))"
    }

    /// The terms of an introductory offer: `1 week free`, `1.99 USD a month for 3 months`, `4.99 USD for 6 months`.
    static func offer(_ offer: ProductDiscount) -> String {
        let whole = period(offer.subscriptionPeriod.times(offer.numberOfPeriods))
        return switch offer.paymentMode {
        case .freeTrial: "\(whole) free"
        case .payUpFront: "\(price(offer.price)) for \(whole)"
        case .payAsYouGo: "\(price(offer.price)) \(every(offer.subscriptionPeriod)) for \(whole)"
        }
    }

    /// The terms of monthly payments: `4.99 EUR a month for 1 year, 59.88 EUR in all`.
    static func plan(_ terms: BillingTerms) -> String {
        "\(price(terms.price)) \(every(terms.period)) for \(terms.commitmentPeriod), "
            + "\(price(terms.commitmentPrice)) in all"
    }

    static func every(_ period: SubscriptionPeriod) -> String {
        period.numberOfUnits == 1 ? "a \(period.unit.rawValue)" : "every \(period)"
    }

    /// The identifier shown for a transaction. It is the store's `id` until another exists.
    static func name(_ transaction: PaymentTransaction) -> String {
        transaction.transactionIdentifier ?? transaction.id
    }

    /// The command that finishes a transaction. Only its device sees a failed or restored one.
    static func finish(_ transaction: PaymentTransaction, as account: String) -> ShellCommand {
        let isOnlyThere = !transaction.isVisible(to: "\(account)-1")
        let device: ShellCommand = isOnlyThere ? "--device \(transaction.originDeviceId)" : ""
        return "storebus finish \(name(transaction)) --as \(account)\(device)"
    }

    /// The command that brings an unfinished transaction on: an answer, an approval, a download, its end.
    static func next(_ transaction: PaymentTransaction, as account: String) -> Advice {
        switch transaction.transactionState {
        case .purchasing: "storebus prompt list --as \(account)"
        case .deferred: "storebus approve \(name(transaction))"
        case .failed where transaction.isInterrupted: "storebus resolve \(name(transaction))"
        case .purchased where transaction.downloads.contains { $0.state == .waiting }:
            "storebus download fetch \(name(transaction)) --as \(account)"
        case .purchased, .restored, .failed: Advice(command: finish(transaction, as: account))
        }
    }

    /// Remarks besides the state: `expires …`, `paymentCancelled (2)`, `trial`.
    static func remarks(_ transaction: PaymentTransaction) -> String {
        var remarks: [String] = []
        if transaction.payment.quantity > 1 { remarks.append("quantity \(transaction.payment.quantity)") }
        if transaction.isFamilyShared == true { remarks.append("shared by the family") }
        if transaction.isTrialPeriod == true { remarks.append("trial") }
        if transaction.isInIntroOfferPeriod == true, transaction.isTrialPeriod != true {
            remarks.append("introductory")
        }
        if let offer = transaction.offer, offer.type != .introductory {
            remarks.append(SubscriptionFormat.offer(offer))
        }
        if let effective = transaction.effectiveDate { remarks.append("takes effect \(time(effective))") }
        if let expires = transaction.expiresDate { remarks.append("expires \(time(expires))") }
        if let error = transaction.error { remarks.append("\(error.name) (\(error.code))") }
        if let reason = transaction.error?.reason {
            remarks.append(reason == "declinedByParent" ? "declined by the parent" : reason)
        }
        if let failed = transaction.supersedes { remarks.append("in the place of \(failed)") }
        if transaction.isUpgraded == true { remarks.append("upgraded to another") }
        if let part = refundedPart(transaction) { remarks.append("refunded \(part)") }
        if let revoked = transaction.revocationDate { remarks.append("revoked \(time(revoked))") }
        return remarks.joined(separator: ", ")
    }

    /// The part of the price that a refund gave back: `33.333 %, 0.33 of 0.99 USD`.
    /// - Returns: Nil for a whole refund, and without one.
    static func refundedPart(_ transaction: PaymentTransaction) -> String? {
        guard transaction.revocationType == .refundProrated, let percentage = transaction.revocationPercentage else {
            return nil
        }
        // Of an upgraded period a part was refunded before, and the rest may be less.
        guard let price = transaction.price, transaction.isUpgraded != true else { return percent(percentage) }
        return "\(percent(percentage)), \(price.part(percentage).amount) of \(self.price(price))"
    }

    /// `33.5 %`
    /// - Parameter thousandths: Thousandths of a percent.
    static func percent(_ thousandths: Int) -> String {
        let decimals = String(1_000 + thousandths % 1_000).dropFirst()
        let end = decimals.lastIndex { $0 != "0" }
        return "\(thousandths / 1_000)" + (end.map { ".\(decimals[...$0])" } ?? "") + " %"
    }

    /// A warning of the store as a sentence.
    static func warning(_ name: String) -> String {
        switch name {
        case "finishedWithPendingDownloads": "content was not downloaded yet: those downloads are cancelled (\(name))"
        default: name
        }
    }

    /// `73412 bytes`, `1.2 MiB`
    static func size(_ bytes: Int64) -> String {
        guard bytes >= 1024 * 1024 else { return "\(bytes) bytes" }
        let tenths = bytes * 10 / (1024 * 1024)
        return "\(tenths / 10).\(tenths % 10) MiB"
    }

    /// Fills a text up with spaces.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// `1 product`, `3 products`
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// `0.41 s`
    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let hundredths = seconds * 100 + attoseconds / 10_000_000_000_000_000
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }

    /// `100 ms`, `1.60 s`
    static func delay(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return seconds > 0 ? self.seconds(duration) : "\(attoseconds / 1_000_000_000_000_000) ms"
    }
}
