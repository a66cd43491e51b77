import StoreModels

/// What a service does that has these prompts waiting, oldest first.
extension [Prompt] {
    /// The page a request asks for.
    func page(_ request: PromptsRequest) -> PromptsPage {
        let mine = filter { prompt in
            let isOfApp = request.bundleId.map { $0 == prompt.bundleId } ?? (IsolatedApp(prompt.bundleId) == nil)
            return isOfApp && (request.account == nil || prompt.account == request.account)
        }
        let start = request.after.flatMap { after in mine.firstIndex { $0.id == after }.map { $0 + 1 } } ?? 0
        let page = Array(mine.dropFirst(start).prefix(request.limit))
        return PromptsPage(prompts: page, after: start + page.count < mine.count ? page.last?.id : nil)
    }

    /// Takes the answered one away.
    /// - Throws: `notFound`.
    mutating func answer(_ request: AnswerPromptRequest) throws(StoreError) -> Prompt {
        guard
            let index = firstIndex(where: {
                $0.id == request.prompt.id && request.prompt.scope.covers($0.bundleId)
            })
        else {
            throw StoreError(.notFound, "there is no such prompt")
        }
        return remove(at: index)
    }
}
