"""What open pages of the console cost the gateway, from the kernel's clock of its process."""

import contextlib
import time
import urllib.request

from store import OPENER

PAGES = 50


def cpu_seconds(pid):
    # The clock that clock_getcpuclockid gives for another process.
    return time.clock_gettime(~pid << 3 | 2)


def measured(pid, seconds):
    """The share of a core in per cent, while nothing is done but wait."""
    before, start = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (cpu_seconds(pid) - before) / (time.monotonic() - start)


def cost(browser, store, seconds):
    gateway = store.pid("gateway")
    print(f"no page: {measured(gateway, seconds):.2f} % of a core")
    browser.sign_in(store.key)
    browser.open("overview", whole=True)
    print(f"1 page: {measured(gateway, seconds):.2f} %")
    for page in ("services", "bus", "chaos"):
        browser.open(page, whole=True)
        print(f"1 page, {page}: {measured(gateway, seconds):.2f} %")
    browser.open("bus?subject=sb.%3E", whole=True)
    browser.click("Start", "main")
    print(f"1 page, bus with a tap: {measured(gateway, seconds):.2f} %")
    browser.open("overview", whole=True)
    for _ in range(PAGES - 1):
        browser.driver.switch_to.new_window("tab")
        browser.driver.get(f"{browser.url}/#/overview")
    print(f"{PAGES} pages of one browser: {measured(gateway, seconds):.2f} %")
    while len(browser.driver.window_handles) > 1:
        browser.driver.close()
        browser.driver.switch_to.window(browser.driver.window_handles[-1])
    with contextlib.ExitStack() as streams:
        for _ in range(PAGES - 1):
            request = urllib.request.Request(
                f"{store.url}/admin/v1/events/stream", headers={"Authorization": f"Bearer {store.key}"})
            streams.enter_context(OPENER.open(request, timeout=60))
        print(f"1 page, and the streams of {PAGES - 1} other browsers: {measured(gateway, seconds):.2f} %")
