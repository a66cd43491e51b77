import StoreKit

// StoreKit 2 as apps write it. It only has to compile: what the members do is tested elsewhere.

/// SwiftUI has a type of this name as well, so apps qualify StoreKit's.
private struct Transaction {}

enum Surface {
    typealias RenewalInfo = StoreKit.Product.SubscriptionInfo.RenewalInfo

    // MARK: Products

    static func products() async throws -> String {
        let identifiers: Set<String> = ["a", "b"]
        var text = ""
        for product in try await Product.products(for: identifiers) {
            let price: Decimal = product.price
            text += product.id + product.displayName + product.description + product.displayPrice
            text += price.formatted(product.priceFormatStyle) + product.priceFormatStyle.currencyCode
            text += "\(product.isFamilyShareable) \(product.jsonRepresentation.count) \(product.debugDescription)"
            text += "\(product.supportsMultiSeatPurchase)"
            switch product.type {
            case .consumable, .nonConsumable, .nonRenewable, .autoRenewable: text += product.type.localizedDescription
            case Product.ProductType(rawValue: "Future"): break
            default: text += product.type.rawValue
            }
            if let subscription = product.subscription { text += try await terms(subscription, of: product) }
            _ = await product.latestTransaction
            _ = await product.currentEntitlement
            for await result in product.currentEntitlements { text += result.jwsRepresentation }
        }
        return try await text + Product.products(for: ["c"][...]).map(\.id).joined()
    }

    static func terms(_ subscription: Product.SubscriptionInfo, of product: Product) async throws -> String {
        let period: Product.SubscriptionPeriod = subscription.subscriptionPeriod
        var text = subscription.subscriptionGroupID + subscription.groupDisplayName + "\(subscription.groupLevel)"
        text += period.formatted(product.subscriptionPeriodFormatStyle)
        text += period.unit.formatted(product.subscriptionPeriodUnitFormatStyle) + period.unit.localizedDescription
        text += period.formatted(Duration.UnitsFormatStyle.units(allowed: [.days], width: .wide))
        text += "\(period.dateRange(referenceDate: .now)) \(DateComponents(subscriptionPeriod: period)) \(period.value)"
        switch period.unit {
        case .day, .week, .month, .year: break
        @unknown default: text += "?"
        }
        let known: [Product.SubscriptionPeriod] = [
            .weekly, .monthly, .yearly, .everyThreeDays, .everyTwoWeeks, .everyTwoMonths, .everyThreeMonths,
            .everySixMonths,
        ]
        text += "\(known.contains(period)) \(Product.SubscriptionPeriod.Unit.day < .week)"
        let offers = [subscription.introductoryOffer].compactMap { $0 } + subscription.promotionalOffers
        for offer in offers + subscription.winBackOffers {
            text += (offer.id ?? "") + offer.displayPrice + "\(offer.price) \(offer.period.unit) \(offer.periodCount)"
            switch offer.paymentMode {
            case .freeTrial, .payAsYouGo, .payUpFront: break
            default: text += offer.paymentMode.rawValue
            }
            if [.introductory, .promotional, .winBack].contains(offer.type) { text += offer.type.localizedDescription }
        }
        if #available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            for terms in subscription.pricingTerms where terms.billingPlanType == .upFront {
                let commitment = terms.commitmentInfo
                text +=
                    terms.billingDisplayPrice + commitment.displayPrice + "\(terms.billingPrice) \(commitment.price)"
                text += "\(terms.billingPeriod) \(commitment.period) \(terms[offers: .introductory].count)"
                text += "\(terms.subscriptionOffers.count) \(terms.billingPlanType == .monthly)"
                switch terms.pricingModel {
                case .singlePrice(let price): text += price.billingInfo.displayPrice + price.commitmentInfo.displayPrice
                case .seatBased(let seats): text += "\(seats.priceTiers.map(\.minimumSeats))"
                @unknown default: break
                }
            }
        }
        let isEligible = await subscription.isEligibleForIntroOffer
        let isGroupEligible = await Product.SubscriptionInfo.isEligibleForIntroOffer(
            for: subscription.subscriptionGroupID)
        for bundled in subscription.bundledSubscriptions {
            text += bundled.id + bundled.displayName + bundled.description + bundled.displayPrice
            text += "\(bundled.price) \(bundled.isFamilyShareable) \(bundled.subscriptionGroupLevel)"
            text += bundled.subscriptionGroupID + bundled.subscriptionGroupDisplayName
        }
        return text + "\(isEligible) \(isGroupEligible)"
    }

    // MARK: Buying

    @MainActor static func buy(_ product: Product, offer: Product.SubscriptionOffer) async throws -> StoreKit
        .Transaction?
    {
        var options: Set<Product.PurchaseOption> = [
            .appAccountToken(UUID()), .quantity(2), .simulatesAskToBuyInSandbox(true),
            .onStorefrontChange { storefront in storefront.countryCode == "USA" },
            .promotionalOffer(offerID: "o", keyID: "k", nonce: UUID(), signature: Data(), timestamp: 1),
            .introductoryOfferEligibility(compactJWS: ""), .winBackOffer(offer), .billingPlanType(.upFront),
            .custom(key: "a", value: "b"), .custom(key: "c", value: 1.5), .custom(key: "d", value: true),
            .custom(key: "e", value: Data()), .seats(3),
        ]
        let signature = Product.SubscriptionOffer.Signature(keyID: "k", nonce: UUID(), timestamp: 1, signature: Data())
        options.insert(.promotionalOffer(offerID: "o", signature: signature))
        options.formUnion(Product.PurchaseOption.promotionalOffer("o", compactJWS: ""))
        do {
            switch try await product.purchase(options: options) {
            case .success(.verified(let transaction)):
                await transaction.finish()
                return transaction
            case .success(let result): return try result.payloadValue
            case .userCancelled, .pending: return nil
            @unknown default: return nil
            }
        } catch Product.PurchaseError.ineligibleForOffer {
            _ = try await product.purchase(confirmIn: NSObject())
        } catch let error as Product.PurchaseError {
            switch error {
            case .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer,
                .invalidOfferIdentifier,
                .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters,
                .paymentMethodBindingConfigurationRequired, .multiSeatPurchaseDisabled:
                print(error.localizedDescription, error.failureReason ?? "", error.recoverySuggestion ?? "")
            @unknown default: break
            }
        } catch let error as StoreKitError {
            switch error {
            case .networkError(let error): print(error.code)
            case .systemError(let error): print(error)
            case .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported, .unknown,
                .invalidPresentationContext:
                break
            @unknown default: break
            }
        }
        return nil
    }

    // MARK: Transactions

    static func listen() -> Task<Void, any Error> {
        Task.detached {
            for await result in StoreKit.Transaction.updates {
                guard case .verified(let transaction) = result else { continue }
                await transaction.finish()
            }
        }
    }

    static func transactions() async throws -> [String] {
        var list: [String] = []
        for await case .verified(let transaction) in StoreKit.Transaction.all { list.append(describe(transaction)) }
        for await result in StoreKit.Transaction.currentEntitlements { list.append(check(result).productID) }
        for await result in StoreKit.Transaction.unfinished.filter({ $0.unsafePayloadValue.isUpgraded }) {
            list.append("\(result.unsafePayloadValue.id)")
        }
        let ofProduct: StoreKit.Transaction.Transactions = StoreKit.Transaction.all(for: "a")
        for await result in ofProduct { list.append(result.debugDescription) }
        for await result in StoreKit.Transaction.currentEntitlements(for: "a") { list.append(result.jwsRepresentation) }
        if let latest = await StoreKit.Transaction.latest(for: "a") { list.append("\(latest.signedDate)") }
        if let entitlement = await StoreKit.Transaction.currentEntitlement(for: "a") {
            list.append(
                "\(entitlement.headerData.count + entitlement.payloadData.count + entitlement.signatureData.count)")
            list.append(
                "\(entitlement.signedData) \(entitlement.deviceVerification) \(entitlement.deviceVerificationNonce)")
            list.append("\(String(describing: await entitlement.unsafePayloadValue.subscriptionStatus?.state))")
        }
        return list
    }

    static func check<Value>(_ result: VerificationResult<Value>) -> Value {
        switch result {
        case .verified(let value): return value
        case .unverified(let value, let error):
            switch error {
            case .revokedCertificate, .invalidCertificateChain, .invalidDeviceVerification, .invalidEncoding,
                .invalidSignature, .missingRequiredProperties:
                print(error.localizedDescription)
            @unknown default: break
            }
            return value
        }
    }

    static func describe(_ transaction: StoreKit.Transaction) -> String {
        var values: [Any?] = [
            transaction.id, transaction.originalID, transaction.webOrderLineItemID, transaction.productID,
            transaction.subscriptionGroupID, transaction.appBundleID, transaction.purchaseDate,
            transaction.originalPurchaseDate, transaction.expirationDate, transaction.purchasedQuantity,
            transaction.isUpgraded, transaction.offerType, transaction.offerID, transaction.revocationDate,
            transaction.revocationReason, transaction.productType, transaction.appAccountToken, transaction.environment,
            transaction.reason, transaction.storefront, transaction.storefrontCountryCode, transaction.price,
            transaction.currency, transaction.currencyCode, transaction.appTransactionID,
            transaction.deviceVerification,
            transaction.deviceVerificationNonce, transaction.ownershipType, transaction.signedDate,
            transaction.jsonRepresentation, transaction.environmentStringRepresentation,
            transaction.reasonStringRepresentation, transaction.offerPaymentModeStringRepresentation,
            transaction.offerPeriodStringRepresentation, transaction.advancedCommerceInfo?.items.first?.details.sku,
        ]
        if let offer = transaction.offer { values += [offer.id, offer.type, offer.paymentMode, offer.period] }
        if #available(iOS 26.4, macOS 26.4, *) {
            values += [transaction.billingPlanType, transaction.revocationType, transaction.revocationPercentage]
            if let info = transaction.commitmentInfo {
                values += [info.billingPeriodNumber, info.totalBillingPeriods, info.price, info.expirationDate]
            }
        }
        if let seats = transaction.multiSeatInfo, seats.invitationManagement != .developer {
            values += [seats.priceTiers.map(\.price), seats.priceTiers.map(\.quantity), seats.revokedSeatQuantity]
        }
        switch transaction.ownershipType {
        case .purchased, .familyShared: break
        default: values.append(transaction.ownershipType.rawValue)
        }
        let isKnown =
            [StoreKit.Transaction.RevocationReason.developerIssue, .other].contains(transaction.revocationReason)
            || [StoreKit.Transaction.OfferType.introductory, .promotional, .code, .winBack].contains(
                transaction.offerType)
            || [StoreKit.Transaction.Reason.purchase, .renewal].contains(transaction.reason)
            || [StoreKit.Transaction.RevocationType.fullRefund, .proratedRefund, .familyRevocation]
                .contains(transaction.revocationType)
            || [StoreKit.Transaction.Offer.PaymentMode.freeTrial, .payAsYouGo, .payUpFront, .oneTime]
                .contains(transaction.offer?.paymentMode)
        return "\(values) \(isKnown) \(transaction == transaction) \(transaction.hashValue)"
    }

    @MainActor static func refund(_ transaction: StoreKit.Transaction) async -> Bool {
        do {
            switch try await transaction.beginRefundRequest(in: NSObject()) {
            case .success: return true
            case .userCancelled: return false
            @unknown default: return false
            }
        } catch StoreKit.Transaction.RefundRequestError.duplicateRequest {
            return true
        } catch {
            return (try? await StoreKit.Transaction.beginRefundRequest(for: 1, in: NSObject())) == .success
        }
    }

    // MARK: Subscriptions

    static func statuses(_ subscription: Product.SubscriptionInfo) async throws -> [String] {
        var list: [String] = []
        for status in try await subscription.status + Product.SubscriptionInfo.status(for: "g") {
            switch status.state {
            case .subscribed, .inGracePeriod, .inBillingRetryPeriod, .expired, .revoked: break
            default: list.append(status.state.localizedDescription)
            }
            guard case .verified(let info) = status.renewalInfo else { continue }
            list.append(describe(info) + check(status.transaction).productID)
        }
        for await status in Product.SubscriptionInfo.Status.updates { list.append("\(status.state.rawValue)") }
        for await (groupID, statuses) in Product.SubscriptionInfo.Status.all {
            list.append("\(groupID) \(statuses.count)")
        }
        let one: SubscriptionStatus? = try await SubscriptionInfo.status(transactionID: 1)
        return list + [one?.renewalInfo.jwsRepresentation ?? ""]
    }

    static func describe(_ info: RenewalInfo) -> String {
        var values: [Any?] = [
            info.originalTransactionID, info.currentProductID, info.willAutoRenew, info.autoRenewPreference,
            info.expirationReason, info.isInBillingRetry, info.gracePeriodExpirationDate, info.offer, info.offerID,
            info.offerType, info.environment, info.recentSubscriptionStartDate, info.renewalDate, info.renewalPrice,
            info.currency, info.currencyCode, info.eligibleWinBackOfferIDs, info.deviceVerification,
            info.deviceVerificationNonce, info.signedDate, info.appAccountToken, info.appTransactionID,
            info.jsonRepresentation, info.environmentStringRepresentation, info.offerPaymentModeStringRepresentation,
            info.offerPeriodStringRepresentation, info.advancedCommerceInfo, info.renewalBillingPlanType,
            info.commitmentInfo?.renewalPrice,
        ]
        switch info.priceIncreaseStatus {
        case .noIncreasePending, .pending, .agreed: values.append(info.priceIncreaseStatus.localizedDescription)
        }
        switch info.expirationReason {
        case .autoRenewDisabled?, .billingError?, .didNotConsentToPriceIncrease?, .productUnavailable?, .unknown?: break
        case let other: values.append(other?.localizedDescription)
        }
        return "\(values)"
    }

    // MARK: App and store

    static func app() async throws -> String {
        let result: VerificationResult<AppTransaction> = try await AppTransaction.shared
        let app = try result.payloadValue
        let values: [Any?] = [
            app.appID, app.appVersion, app.appVersionID, app.bundleID, app.environment, app.originalAppVersion,
            app.originalPurchaseDate, app.preorderDate, app.deviceVerification, app.deviceVerificationNonce,
            app.signedDate,
            app.appTransactionID, app.originalPlatform == .iOS, app.originalPlatformStringRepresentation,
            app.jsonRepresentation, result.jwsRepresentation, AppStore.canMakePayments, AppStore.deviceVerificationID,
            app.storeType == .consumer, app.revocationDate,
        ]
        if [AppStore.Environment.production, .sandbox, .xcode].contains(app.environment) { try await AppStore.sync() }
        _ = try await AppTransaction.refresh()
        let storefront: Storefront? = await Storefront.current
        for await storefront in Storefront.updates { print(storefront.id, storefront.currency ?? "") }
        return "\(values) \(storefront?.countryCode ?? "")"
    }

    @MainActor static func sheets(_ scene: NSObject) async throws {
        try await AppStore.showManageSubscriptions(in: scene)
        try await AppStore.showManageSubscriptions(in: scene, subscriptionGroupID: "g")
        try await AppStore.presentOfferCodeRedeemSheet(in: scene)
        let options: Set<RedeemOption> = []
        _ = try await AppStore.presentOfferCodeRedeemSheet(from: scene, options: options).payloadValue
        AppStore.requestReview(in: scene)
        for await message in Message.messages {
            switch message.reason {
            case .generic, .priceIncreaseConsent, .billingIssue, .winBackOffer: try message.display(in: scene)
            default: print(message.reason.localizedDescription)
            }
        }
    }

    // MARK: Promotions

    static func intents() async throws {
        for await intent in PurchaseIntent.intents {
            let (product, offer, id): (Product, Product.SubscriptionOffer?, Product.ID) = (
                intent.product, intent.offer, intent.id
            )
            _ = try await product.purchase(options: offer.map { [.winBackOffer($0)] } ?? [])
            print(id)
        }
        for await product in PurchaseIntent.intents.map(\.product) { print(product.id) }
        var order = try await Product.PromotionInfo.currentOrder
        if !order.isEmpty {
            order[0].visibility = .hidden
            try await order[0].update()
        }
        try await Product.PromotionInfo.updateAll(order)
        try await Product.PromotionInfo.updateProductOrder(byID: ["a", "b"])
        try await Product.PromotionInfo.updateProductVisibility(.appStoreConnectDefault, for: "a")
    }

    // MARK: Outside

    static func outside() async throws {
        if await ExternalPurchase.canPresent {
            switch try await ExternalPurchase.presentNoticeSheet() {
            case .cancelled: break
            case .continuedWithExternalPurchaseToken(let token): print(token)
            @unknown default: break
            }
        }
        if await ExternalPurchaseLink.canOpen, let url = await ExternalPurchaseLink.eligibleURLs?.first {
            try await ExternalPurchaseLink.open(url: url)
        }
        if await ExternalPurchaseCustomLink.isEligible {
            let result = try await ExternalPurchaseCustomLink.showNotice(type: .withinApp)
            print(result == .continued, try await ExternalPurchaseCustomLink.token(for: "t")?.value ?? "")
        }
        if await ExternalLinkAccount.canOpen { try await ExternalLinkAccount.open() }
        let product = try await AdvancedCommerceProduct(id: "a")
        for await result in product.allTransactions { print(result.jwsRepresentation) }
        _ = try await product.purchase(compactJWS: "", confirmIn: NSObject())
    }
}
