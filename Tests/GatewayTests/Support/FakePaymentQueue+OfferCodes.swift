import EventLoop
import StoreModels

/// Offer codes, as far as the gateway sees them.
extension FakePaymentQueue {
    func serveOfferCodes() {
        service.handle(PaymentEndpoints.addOfferCode) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.newCodes.append(request)
                let codes = contents.offerCodes[request.bundleId, default: []]
                let made = Sample.offerCode("o_\(codes.count + 1)", of: request.new)
                contents.offerCodes[request.bundleId, default: []].append(made)
                return with(made) { $0.oneTimeCodes = request.new.count.map { (0..<$0).map { "CODE\($0)" } } }
            }
        }
        service.handle(PaymentEndpoints.listOfferCodes) { [self] request in
            OfferCodesPage(codes: contents.withLock { $0.offerCodes[request.bundleId] ?? [] })
        }
        service.handle(PaymentEndpoints.activateOfferCode) { [self] request in
            try contents.withLock { contents in
                let codes = contents.offerCodes[request.bundleId, default: []]
                guard let place = codes.firstIndex(where: { $0.codeIdentifier == request.codeIdentifier }) else {
                    throw StoreError.notFound("offer code")
                }
                contents.offerCodes[request.bundleId]?[place].isActive = request.isActive
                return with(codes[place]) { $0.isActive = request.isActive }
            }
        }
        service.handle(PaymentEndpoints.findOfferCode) { [self] request in
            let codes = contents.withLock { $0.offerCodes[request.bundleId] ?? [] }
            guard let code = codes.first(where: { $0.code == request.offerCode }) else {
                throw StoreError.notFound("offer code")
            }
            return RedeemedCode(
                codeIdentifier: code.codeIdentifier, digest: "digest", productIdentifier: code.productIdentifier,
                offer: code.offer)
        }
    }
}

extension Sample {
    static func offerCode(
        _ id: String,
        of new: NewOfferCode = NewOfferCode(
            productIdentifier: "com.example.pro", offer: "LAUNCH", code: "SPRING26", redemptionsMax: 500)
    ) -> OfferCode {
        OfferCode(
            codeIdentifier: id, kind: new.code == nil ? .oneTime : .custom, code: new.code,
            productIdentifier: new.productIdentifier, offer: new.offer,
            redemptionsMax: new.redemptionsMax ?? new.count ?? 0, redemptions: 0, isActive: true,
            createdAt: Timestamp(milliseconds: 1_795_000_000_000))
    }
}
