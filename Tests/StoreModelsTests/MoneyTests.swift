import StoreModels
import StorebusTesting
import Testing

@Suite struct MoneyTests {
    private func currency(_ code: String) throws -> Currency { try #require(Currency(code: code)) }

    @Test(arguments: [
        ("1.99", "USD", 199, "1.99"), ("0.5", "USD", 50, "0.50"), ("300", "JPY", 300, "300"), ("6", "CNY", 600, "6.00"),
        ("0", "EUR", 0, "0.00"), ("1.234", "KWD", 1234, "1.234"), ("0.005", "KWD", 5, "0.005"), ("7.0", "JPY", 7, "7"),
    ])
    func `an amount is read into minor units and written with the currency's digits`(
        text: String, code: String, units: Int64, written: String
    ) throws {
        let money = try #require(Money(amount: text, currency: try currency(code)))
        #expect(money.minorUnits == units)
        #expect(money.amount == written)
    }

    @Test(arguments: [
        "", ".", "1.", ".5", "-1", "+1", "1e3", "1,99", " 1", "1.999", "NaN", "99999999999999999999", "١",
    ])
    func `anything else is no amount of dollars`(text: String) throws {
        #expect(Money(amount: text, currency: try currency("USD")) == nil)
    }

    @Test func `digits the currency has no unit for are rounded half up when asked to`() throws {
        let yen = try currency("JPY")
        #expect(Money(amount: "2.49", currency: yen, rounding: .halfUp)?.minorUnits == 2)
        #expect(Money(amount: "2.50", currency: yen, rounding: .halfUp)?.minorUnits == 3)
    }

    @Test func `amount and minor units are one another's inverse`() throws {
        var random = SplitMix64.seeded()
        for code in ["USD", "JPY", "KWD"] {
            for _ in 0..<500 {
                let money = Money(
                    minorUnits: Int64.random(in: 0...Int64.max, using: &random), currency: try currency(code))
                #expect(Money(amount: money.amount, currency: money.currency) == money)
            }
        }
    }

    @Test func `a quantity that does not fit is no price`() throws {
        let money = Money(minorUnits: Int64.max / 2, currency: try currency("USD"))
        #expect(money.times(2)?.minorUnits == Int64.max - 1)
        #expect(money.times(3) == nil)
    }

    @Test func `a part is rounded down to a minor unit, of any sum`() throws {
        let price = Money(minorUnits: 999, currency: try currency("USD"))
        #expect(price.part(33_333).amount == "3.32")
        #expect(price.part(100_000) == price)
        #expect(price.part(1).minorUnits == 0)
        #expect(Money(minorUnits: .max, currency: price.currency).part(100_000).minorUnits == .max)
    }

    @Test func `money on the wire is a decimal string and a code`() throws {
        let money = Money(minorUnits: 199, currency: try currency("USD"))
        #expect(String(decoding: try StoreJSON.encode(money), as: UTF8.self) == #"{"amount":"1.99","currency":"USD"}"#)
        #expect(try StoreJSON.decode(Money.self, from: Array(#"{"amount":"1.99","currency":"USD"}"#.utf8)) == money)
        #expect(throws: StoreError.self) {
            try StoreJSON.decode(Money.self, from: Array(#"{"amount":1.99,"currency":"USD"}"#.utf8))
        }
    }
}
