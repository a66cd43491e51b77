internal import ServiceLifecycle

/// Runs alongside the endpoints that use the database and closes it after them. A service's `build` returns it.
extension SQLiteDatabase {
    /// Keeps the database open until graceful shutdown, then closes it.
    ///
    /// - Throws: ``fault`` as soon as there is one, so that the process ends and is started again: it recovers from the
    ///   log, and a flush that failed is never tried twice.
    package func run() async throws {
        let fault = await cancelWhenGracefulShutdown { [state] in
            await state.faults.first { _ in true }
        }
        await close()
        if let fault { throw fault }
    }
}
