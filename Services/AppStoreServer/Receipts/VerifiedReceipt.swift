import Signing
import StoreModels

/// The response for a valid receipt, with Apple's member names (Apple, "responseBody").
///
/// `receipt` has the receipt's own data. The members `latest_receipt_info`, `pending_renewal_info` and `latest_receipt`
/// are current, and present only when the customer has, or the receipt contains, an auto-renewable subscription.
struct VerifiedReceipt {
    let document: ReceiptDocument
    let contents: ReceiptContents
    let latestReceipt: String?
    let excludesOldTransactions: Bool

    var json: JSONValue {
        var answer = AppleObject()
        answer["status"] = .integer(0)
        answer["environment"] = .string(document.environment.name)
        answer["receipt"] = receipt
        if let latestReceipt {
            answer["latest_receipt"] = .string(latestReceipt)
            answer["latest_receipt_info"] = .array(latest.map { PurchaseFields.latest($0) })
            answer["pending_renewal_info"] = .array(contents.subscriptions.map(RenewalFields.json))
        }
        return answer.json
    }

    private var receipt: JSONValue {
        var receipt = AppleObject()
        receipt["receipt_type"] = .string(document.environment.receiptType)
        receipt["bundle_id"] = .string(document.bundleId)
        receipt["application_version"] = .string(document.applicationVersion)
        receipt["original_application_version"] = .string(document.originalApplicationVersion)
        // Apple's sandbox has numbers for apps on sale only, and 0 for all others.
        for name in ["adam_id", "app_item_id", "download_id", "version_external_identifier"] {
            receipt[name] = .integer(0)
        }
        receipt.set("receipt_creation_date", document.creationDate)
        receipt.set("request_date", contents.now)
        receipt.set("original_purchase_date", contents.firstSeen)
        if let expirationDate = document.expirationDate { receipt.set("expiration_date", expirationDate) }
        let known = Dictionary(exactly: contents.items.map { ($0.transactionIdentifier, $0) })
        receipt["in_app"] = .array(
            document.purchases.map {
                PurchaseFields.inApp($0, reason: known[$0.transactionIdentifier]?.cancellationReason)
            })
        return receipt.json
    }

    /// The purchases, newest first. When the request excludes old transactions, only the latest of each subscription is
    /// there.
    private var latest: [ReceiptItem] {
        let newestFirst = contents.items.sorted {
            ($0.purchaseDate, $0.transactionIdentifier) > ($1.purchaseDate, $1.transactionIdentifier)
        }
        guard excludesOldTransactions else { return newestFirst }
        var seen: Set<ExactText> = []
        return newestFirst.filter {
            $0.type != .autoRenewable || seen.insert($0.originalTransactionIdentifier).inserted
        }
    }
}
