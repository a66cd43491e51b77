import EventLoop
import StoreModels

/// Families, as far as the gateway sees them.
extension FakePaymentQueue {
    func serveFamilies() {
        service.handle(PaymentEndpoints.putFamily) { [self] request in
            try check()
            guard request.organiser != "stranger" else {
                throw StoreError.invalid("$.organiser", "'stranger' is no customer", status: 422)
            }
            return contents.withLock { contents in
                let made = Sample.family(request.family, request.organiser)
                contents.families[request.bundleId, default: []].append(made)
                return made
            }
        }
        service.handle(PaymentEndpoints.listFamilies) { [self] request in
            FamiliesPage(families: contents.withLock { $0.families[request.bundleId] ?? [] })
        }
        service.handle(PaymentEndpoints.endFamily) { [self] request in
            try contents.withLock { contents in
                let place = try contents.place(of: request.family, request.bundleId)
                contents.families[request.bundleId]?.remove(at: place)
                return Empty()
            }
        }
        service.handle(PaymentEndpoints.putFamilyMember) { [self] request in
            try contents.withLock { contents in
                let place = try contents.place(of: request.family, request.bundleId)
                let person = FamilyPerson(
                    account: request.account, isOrganiser: false,
                    sharesPurchases: request.sharing.sharesPurchases ?? true,
                    receivesPurchases: request.sharing.receivesPurchases ?? true, joinedAt: Sample.joinedAt)
                contents.families[request.bundleId]?[place].persons.append(person)
                return contents.families[request.bundleId]?[place] ?? Sample.family(request.family, "alice")
            }
        }
        service.handle(PaymentEndpoints.removeFamilyMember) { [self] request in
            try contents.withLock { contents in
                let place = try contents.place(of: request.family, request.bundleId)
                contents.families[request.bundleId]?[place].persons.removeAll { $0.account == request.account }
                return contents.families[request.bundleId]?[place] ?? Sample.family(request.family, "alice")
            }
        }
    }
}

extension FakePaymentQueue.Contents {
    fileprivate func place(of family: String, _ bundleId: String) throws -> Int {
        guard let place = families[bundleId]?.firstIndex(where: { $0.family == family }) else {
            throw StoreError.notFound("family")
        }
        return place
    }
}

extension Sample {
    static let joinedAt = Timestamp(milliseconds: 1_795_000_000_000)

    static func family(_ name: String, _ organiser: String) -> Family {
        Family(
            family: name,
            persons: [
                FamilyPerson(
                    account: organiser, isOrganiser: true, sharesPurchases: true, receivesPurchases: true,
                    joinedAt: joinedAt)
            ])
    }
}
