import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// The schemas of promotions, devices and intents are the models' shapes.
@Suite struct OpenAPIPromotionShapeTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func members(_ schema: String) -> Set<String> {
        Set((document.schema(schema)?["properties"]?.objectValue ?? [:]).keys)
    }

    private func written(_ value: some Encodable) throws -> Set<String> {
        Set((try StrictJSON.parse(try StoreJSON.encode(value)).objectValue ?? [:]).keys)
    }

    private let image = PromotionImage(
        productIdentifier: "p", state: .rejected, format: .png, width: 1, height: 1, length: 1, sha256: "",
        reason: "r")

    @Test func `intents have the members the models write`() throws {
        var intent = Sample.intent("i")
        intent.offer = "o"
        intent.answerBy = .wallClock()
        intent.deferredBy = .timeout
        intent.feedback = "f"
        intent.transactionId = "t"
        intent.bundleId = "b"
        intent.account = "a"
        intent.warning = "w"
        #expect(try members("Intent") == written(intent))
        #expect(try members("Intents") == written(IntentsPage(intents: [], after: "a")))
        #expect(
            try members("DecidedIntent")
                == written(IntentDecisionResponse(intent: intent, transaction: Sample.purchased("t"))))
        let event = IntentEvent(id: "e", type: .intentStarted, bundleId: "b", account: "a", intent: intent)
        #expect(try members("IntentEvent") == written(event))
        #expect(try members("IntentEvents") == written(IntentEventsReply(events: [], after: "a")))
        #expect(
            try members("StartedPurchase") == written(StartPurchaseReply(outcome: .openApp, intentIdentifier: "i")))
    }

    @Test func `devices have the members the models write`() throws {
        let app = Device.InstalledApp(bundleId: "b", version: "1", promotedPurchases: .delegate, isLaunched: true)
        #expect(try members("InstalledApp") == written(app))
        #expect(try members("DeviceOverrides") == written(PromotionOverrides()))
        #expect(try members("Device") == written(Sample.device))
        #expect(try members("Devices") == written(DevicesPage(devices: [], after: "a")))
        #expect(
            try members("PromotionOrder")
                == written(OrderResponse<EncodedJSON>(productIdentifiers: [], products: [])))
        #expect(
            try members("ProductVisibility")
                == written(
                    VisibilityResponse<EncodedJSON>(productIdentifier: "p", visibility: .hide, products: [])))
    }

    @Test func `what the operator sets up has the members the models write`() throws {
        let item = PromotionSetup.Item(
            productIdentifier: "p", visible: true, image: image, reasons: [.noImage], details: ["d"])
        #expect(try members("PromotionItem") == written(item))
        #expect(
            try members("PromotionSetup") == written(PromotionSetup(bundleId: "b", isPreview: true, promotions: [])))
        #expect(
            try members("PromotionEntry") == written(PromotionEntry(productIdentifier: "p", visible: true)))
        #expect(try members("PromotionImage") == written(image))
        #expect(try members("PromotionExplanation") == written(PromotionExplanation(reasons: [], details: [])))
        #expect(try members("Featured") == written(FeaturedList(products: [])))
        #expect(
            try members("FeaturedEntry") == written(ProductReference(bundleId: "b", productIdentifier: "p")))
        let list = PromptsResponse(
            payments: PromptsPage(prompts: [], after: "p"), promotions: nil, after: PromptCursor("p"), limit: 1)
        #expect(try members("Prompts") == written(list))
    }
}
