"""What the plugin says when a test cannot have a store, or fails."""


def test_a_failed_test_shows_its_notifications(pytester, storebus_installation, monkeypatch):
    monkeypatch.setenv("STOREBUS_URL", storebus_installation.url)
    monkeypatch.setenv("STOREBUS_ADMIN_KEY", storebus_installation._endpoint.token)
    pytester.makepyfile(
        """
        def test_that_fails(store):
            store.customer("alice").buy("com.example.hiddenBeaches")
            store.notifications.settle()
            assert False
        """)
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*notifications of t-*", "ONE_TIME_CHARGE com.example.hiddenBeaches"])


def test_a_catalogue_that_is_missing_is_the_tests_error(pytester, storebus_installation, monkeypatch):
    monkeypatch.setenv("STOREBUS_URL", storebus_installation.url)
    monkeypatch.setenv("STOREBUS_ADMIN_KEY", storebus_installation._endpoint.token)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.storebus("None.storekit")
        def test_without(store):
            pass
        """)
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the test's store: *None.storekit*"])


def test_an_environment_without_a_store_is_told_how_to_get_one(pytester, monkeypatch):
    monkeypatch.delenv("STOREBUS_ADMIN_KEY", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    pytester.makepyfile("def test_without(store): pass")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no store: put storebus on PATH, pass --storebus PATH*"])
