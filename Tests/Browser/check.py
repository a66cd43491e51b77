"""What the console shows and does, against a running store: scripts/check-console starts both.

    check.py URL DATA-DIRECTORY [--screenshots DIR] [--only NAME,…]
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from PIL import Image
from selenium.webdriver import ActionChains
from selenium.webdriver.support.ui import Select

from browser import Browser, By, Keys
from cost import cost
from runs import COMMAND, report
from store import APP, OPENER, Store, claims, receiver

HOSTILE = "<img src=x onerror=\"window.broken=1\">"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
# Each page with its name in a screenshot; {…} is filled from what the store holds.
PAGES = {
    "overview": "overview", "inbox": "inbox", "transactions": "transactions", "transaction": "transactions/{transaction}",
    "subscriptions": "subscriptions", "subscription": "subscriptions/{subscription}", "customers": "customers",
    "customer": "customers/alice", "products": "products", "product": "products/com.example.pro.monthly",
    "promotions": "promotions", "store": "store?account=alice", "eligibility": "eligibility?account=alice",
    "notifications": "notifications", "notification": "notifications/{notification}", "time": "time",
    "services": "services", "bus": "bus", "traces": "traces", "trace": "traces/{transaction}", "chaos": "chaos", "run": "chaos/{run}", "settings": "settings",
}

# Seconds until there is something in a page's charts, for its picture.
PICTURED = {"services": 7, "bus": 25}


def seed(store):
    """Something of each kind, so that no page is empty."""
    for number, account in enumerate(["alice", "bob", "carol", "李雷"]):
        store.buy(account, "com.example.pro.monthly", f"seed-{number}")
    store.buy("alice", "com.example.hiddenBeaches", "seed-beaches")
    store.buy("李雷", "com.example.fishingHotSpots", "seed-spots", quantity=3)
    bob = store.transactions(account="bob")["transactions"][0]["transactionIdentifier"]
    carol = store.transactions(account="carol")["transactions"][0]["transactionIdentifier"]
    store.ask("POST", f"/admin/v1/transactions/{carol}/disableAutoRenew", {})
    store.ask("POST", f"/admin/v1/apps/{APP}/clock/advance", {"by": "40d"}, key="seed-40d")
    store.ask("POST", f"/admin/v1/transactions/{bob}/failNextRenewal", {})
    store.ask("POST", f"/admin/v1/apps/{APP}/clock/advance", {"by": "29d"}, key="seed-29d")
    beaches = store.transactions(account="alice")["transactions"]
    refunded = next(one for one in beaches if one["payment"]["productIdentifier"] == "com.example.hiddenBeaches")
    store.ask("POST", f"/admin/v1/transactions/{refunded['id']}/refund", {})
    store.tester("dora", askToBuy=True)
    store.buy("dora", "com.example.hiddenBeaches", "seed-ask")
    store.tester("emil", interruptPurchases=True, storefront="FRA")
    store.buy("emil", "com.example.fishingHotSpots", "seed-interrupted")
    run = report("3f2", "ended", 40)
    store.ask("PUT", f"/admin/v1/chaos/runs/{run['setup']['id']}", run)


def names(store):
    subscription = store.ask("GET", "/admin/v1/subscriptions?limit=1")["subscriptions"][0]
    notification = store.ask("GET", f"/admin/v1/apps/{APP}/notifications?limit=1")["notifications"][0]
    return {
        "transaction": subscription["transactionIdentifier"], "subscription": subscription["originalTransactionIdentifier"],
        "notification": notification["notificationUUID"], "run": store.ask("GET", "/admin/v1/chaos/runs")["runs"][0]["id"],
    }


def plain(browser, store):
    """Texts only ever become text: nothing in the sources makes markup of them."""
    makes = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function|\bstyle=\"")
    found = [f"{path.name}: {match[0]}" for path in sources() for match in makes.finditer(path.read_text())]
    assert not found, "\n".join(found)
    for path in ("/", "/console/app.js", "/console/pages/overview.js", "/console/style.css"):
        with OPENER.open(urllib.request.Request(store.url + path, headers={"Accept": "text/html, */*"})) as page:
            policy, sniff = page.headers["Content-Security-Policy"], page.headers["X-Content-Type-Options"]
        assert policy == POLICY and sniff == "nosniff", (path, policy, sniff)
    return f"{len(sources())} files make no markup of texts, and the pages have their policy"


def sources():
    folder = pathlib.Path(__file__).resolve().parents[2] / "Services/Gateway/Console"
    return [path for path in sorted(folder.rglob("*")) if path.suffix in {".js", ".css", ".html", ".svg"} and "vendor" not in path.parts]


def signing_in(browser, store):
    """The key, a wrong one, a link, and the end of the session."""
    browser.driver.get(browser.url)
    browser.run("localStorage.clear()")
    browser.driver.delete_all_cookies()
    browser.forgive("status of 401")
    browser.driver.refresh()
    browser.until("the form", lambda: browser.all("input[name=key]"))
    assert not browser.axe(), browser.axe()
    browser.fill("input[name=key]", "wrong")
    browser.click("Sign in")
    browser.says("That key is not this store’s.")
    browser.sign_in(store.key)
    browser.settled()
    browser.click("Sign out")
    browser.until("the form", lambda: browser.all("input[name=key]"))
    ticket = store.ask("POST", "/console/tickets", {})["ticket"]
    for attempt in range(2):
        browser.forgive("status of 401")
        browser.driver.get("about:blank")
        browser.driver.get(f"{browser.url}/#ticket={urllib.parse.quote(ticket)}")
        if attempt == 0:
            browser.until("the frame", lambda: browser.all("header.top"))
            assert "ticket" not in browser.driver.current_url, browser.driver.current_url
            browser.click("Sign out")
            browser.until("the form", lambda: browser.all("input[name=key]"))
    browser.says("The link has been used")
    stays = browser.run("return document.cookie + Object.values(localStorage).join(' ')")
    assert store.key not in stays and "storebus_console" not in stays, "scripts can read the key or the cookie"
    browser.forgive("status of 401")
    browser.sign_in(store.key)
    return "by key and by link; a link works once, scripts see neither key nor cookie"


def sizes(browser, store):
    """The bytes of the first load, and when something is first painted."""
    def measured():
        # Bodies as they are, whether or not the gateway sends them compressed.
        return browser.run("""
            const own = performance.getEntriesByType('resource').filter(one => new URL(one.name).pathname.startsWith('/console/'));
            const page = performance.getEntriesByType('navigation')[0];
            const paint = performance.getEntriesByType('paint').find(one => one.name === 'first-contentful-paint');
            return {bytes: [...own, page].reduce((sum, one) => sum + one.decodedBodySize, 0), files: own.length + 1,
                    paint: paint && Math.round(paint.startTime)};""")
    browser.collect()
    browser.driver.get("about:blank")
    browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.driver.get(browser.url)
    browser.run("localStorage.clear()")
    # A session that is over is refused.
    browser.forgive("status of 401")
    browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.driver.refresh()
    browser.until("the form", lambda: browser.all("input[name=key]"))
    browser.forgive("status of 401")
    first = measured()
    browser.sign_in(store.key)
    browser.settled()
    browser.collect()
    browser.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    browser.driver.refresh()
    browser.settled()
    overview = measured()
    own = sum(path.stat().st_size for path in sources())
    assert first["bytes"] < 60_000 and overview["bytes"] < 100_000, (first, overview)
    return (f"first load {first['bytes']:,} bytes in {first['files']} files, first paint {first['paint']} ms; "
            f"with the overview {overview['bytes']:,} bytes, first paint {overview['paint']} ms; own text in all {own:,}")


def pages(browser, store, screenshots=None):
    """Every page in both schemes and widths: no violation of axe, no report of the policy, no error.

    Pictures have the width of a telephone that people have, the check the smallest one.
    """
    filled = names(store)
    checked, violations = 0, []
    for scheme in ("light", "dark"):
        for width in (1280, 390 if screenshots else 320):
            browser.look(width, scheme)
            for name, page in PAGES.items():
                browser.open(page.format(**filled))
                wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
                if wide > 0:
                    violations.append(f"{name} {scheme} {width}: {wide} px too wide")
                violations += [f"{name} {scheme} {width}: {one}" for one in browser.axe()]
                browser.collect()
                checked += 1
                if screenshots:
                    time.sleep(PICTURED.get(name, 0))
                    # Not where the pointer and the focus happen to be.
                    browser.run("document.activeElement.blur()")
                    browser.screenshot(screenshots / f"{name}-{scheme}{'' if width == 1280 else '-narrow'}.png")
    browser.look(1280)
    assert not violations, "\n".join(violations)
    return f"{len(PAGES)} pages, {checked} views: 0 axe violations, none wider than its window"


def purchase(browser, store):
    """From a tap on the store page to the finished transaction, with an app that runs."""
    with store.app("fiona") as finished:
        browser.open("store?account=fiona")
        browser.says("Hidden Beaches")
        card = browser.until("the offer", lambda: [
            one for one in browser.all(".offer") if "Fishing Hot Spots" in one.text][0])
        browser.press(card.find_element(By.CSS_SELECTOR, "button.primary"))
        browser.says("The app opens with the purchase for fiona", ".toasts")
        browser.until("the app to finish", lambda: finished)
        browser.until("the intent to be continued", lambda: "continued" in browser.text())
        browser.open("transactions?filter=account%3Dfiona")
        browser.until("a finished row", lambda: [one for one in browser.all("tbody tr") if "purchased" in one.text and "yes" in one.text])
    return "tapped, bought, finished by the app, and shown as finished"


def ask_to_buy(browser, store):
    """Deferred in one tab, approved in another; the first shows it by itself."""
    store.tester("gus", askToBuy=True)
    bought = store.buy("gus", "com.example.hiddenBeaches", "ask-gus")
    browser.open("transactions?filter=account%3Dgus")
    browser.until("a deferred row", lambda: "deferred" in browser.text("tbody"))
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.prepare()
    browser.look(1280)
    browser.open("inbox", whole=True)
    card = browser.until("its prompt", lambda: [one for one in browser.all("main section.card") if "gus" in one.text and "Ask to Buy" in one.text][0])
    browser.press(card.find_element(By.CSS_SELECTOR, "button.primary"))
    browser.says("Approved for gus:", ".toasts")
    browser.collect()
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.until("a purchased row", lambda: "purchased" in browser.text("tbody"))
    assert store.transactions(account="gus")["transactions"][0]["id"] == bought["id"]
    return "approved in a second tab, shown in the first"


def recording(browser, store):
    """What an operator does becomes a scenario, which the command line runs in a store of its own."""
    browser.open("products/com.example.fishingHotSpots")
    browser.click("Record")
    buy = "main section[aria-label='Buy']"
    browser.fill(f"{buy} input[name=account]", "sofia" + Keys.TAB)
    browser.click("Buy", buy)
    browser.says("Purchased", ".toasts")
    bought = store.transactions(account="sofia")["transactions"][0]
    browser.open(f"transactions/{bought['id']}", whole=True)
    browser.click("Request a refund")
    browser.until("two recorded", lambda: "2 recorded" in browser.text("header.top"))
    browser.open(f"transactions/{bought['id']}")
    browser.click("Refund")
    browser.click("Refund", "dialog")
    browser.until("the refund", lambda: store.transactions(account="sofia")["transactions"][0].get("revocationDate"))
    browser.until("three recorded", lambda: "3 recorded" in browser.text("header.top"))
    browser.press(next(one for one in browser.all("header.top button") if "recorded" in one.text))
    written = browser.until("the scenario", lambda: browser.text("dialog pre"))
    assert not browser.axe(), browser.axe()
    wanted = ["    save: s1", "  # Request a refund: there is no command", "  - storebus refund ${s1}"]
    assert all(line in written.splitlines() for line in wanted) and bought["transactionIdentifier"] not in written, written
    browser.click("End the recording", "dialog")
    browser.button("Record")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "console.scenario.yaml")
        file.write_text(written)
        environment = {**os.environ, "STOREBUS_URL": store.url, "STOREBUS_ADMIN_KEY": store.key}
        run = subprocess.run(["storebus", "scenario", "run", str(file)], env=environment, capture_output=True, text=True)
    assert run.returncode == 0 and "1 passed, 0 failed" in run.stdout, run.stdout + run.stderr
    return "a purchase and its refund recorded, and run in a store of their own"


def traces(browser, store):
    """A purchase as a waterfall, from its own page."""
    bought = store.buy("trudy", "com.example.hiddenBeaches", "traces-trudy")
    browser.open(f"transactions/{bought['id']}")
    browser.press(browser.until("the link", lambda: [one for one in browser.all("main a.button") if one.text == "Trace"][0]))
    rows = browser.until("the waterfall", lambda: [one.text for one in browser.all("main tbody tr")])
    for name, service in (("POST /v1/payments", "gateway"), ("queue.add", "payment-queue"), ("commit", "payment-queue")):
        assert any(name in row and service in row for row in rows), rows
    assert len(browser.all("main svg.course")) == len(rows)
    browser.open("traces")
    browser.says("POST /v1/payments")
    return f"a purchase of {len(rows)} spans, from its page and among the newest"


def keyboard(browser, store):
    """Promotions reordered with the keyboard alone; shortcuts, rows, dialogs."""
    def order():
        return [one["productIdentifier"] for one in store.ask("GET", f"/admin/v1/apps/{APP}/promotions")["promotions"]]

    before = order()
    browser.open("overview")
    browser.run("document.activeElement.blur()")
    browser.keys("g", "r")
    browser.until("the grips", lambda: len(browser.all(".grip")) == len(before))
    for _ in range(60):
        if "grip" in (browser.driver.switch_to.active_element.get_attribute("class") or ""):
            break
        browser.keys(Keys.TAB)
    browser.keys(Keys.SPACE)
    browser.until("the announcement", lambda: any("lifted, 1 of" in one.get_attribute("textContent") for one in browser.all("[role=status]")))
    browser.keys(Keys.ARROW_DOWN)
    browser.until("the place", lambda: any("2 of" in one.get_attribute("textContent") for one in browser.all("[role=status]")))
    browser.keys(Keys.ESCAPE)
    assert order() == before, "Escape has to put it back"
    browser.keys(Keys.SPACE)
    browser.keys(Keys.ARROW_DOWN)
    browser.until("the second place", lambda: browser.all(".promotion")[1].get_attribute("class").endswith("lifted"))
    browser.keys(Keys.SPACE)
    moved = [before[1], before[0], *before[2:]]
    browser.until("the new order", lambda: order() == moved)
    browser.click(f"Move {before[0]} to the top")
    browser.until("the old order", lambda: order() == before)

    browser.run("document.activeElement.blur()")
    browser.keys("?")
    browser.says("Keyboard shortcuts", "dialog")
    assert not browser.axe(), browser.axe()
    browser.keys(Keys.ESCAPE)
    browser.until("the list to close", lambda: not browser.all("dialog"))
    browser.keys("g", "t")
    browser.until("rows", lambda: len(browser.all("tbody tr a")) > 3)
    browser.keys("f")
    assert browser.driver.switch_to.active_element.get_attribute("id") == "filter", "f has to focus the filter"
    browser.driver.switch_to.active_element.send_keys("account=alice")
    browser.until("only alice", lambda: {row.find_elements(By.TAG_NAME, "td")[2].text for row in browser.all("tbody tr") if row.get_attribute("aria-rowindex")} == {"alice"})
    browser.run("document.activeElement.blur()")
    browser.keys("j")
    browser.until("the first row", lambda: browser.run("return document.activeElement.closest('tr')?.getAttribute('aria-rowindex')") == "2")
    browser.keys("j")
    browser.until("the second row", lambda: browser.run("return document.activeElement.closest('tr')?.getAttribute('aria-rowindex')") == "3")
    browser.keys(Keys.ENTER)
    browser.says("pendingAskToBuyConfirmation")
    browser.until("the heading to have the focus", lambda: browser.driver.switch_to.active_element.tag_name == "h1")
    button = browser.button("Delete", "main")
    button.click()
    browser.says("is deleted permanently", "dialog")
    assert not browser.axe(), browser.axe()
    browser.keys(Keys.ESCAPE)
    browser.until("the focus to be back", lambda: browser.driver.switch_to.active_element.text == "Delete")
    browser.driver.back()
    browser.until("the list again", lambda: browser.all("#filter"))
    assert browser.all("#filter")[0].get_attribute("value") == "account=alice", "back has to bring the filter"
    browser.until("the heading to have the focus", lambda: browser.driver.switch_to.active_element.tag_name == "h1")
    browser.run("document.querySelector('.skip').focus(); document.querySelector('.skip').click()")
    assert browser.driver.switch_to.active_element.get_attribute("id") == "main", "the skip link leads to the content"
    return "promotions reordered and put back, shortcuts, rows, dialog, back and skip link"


def commands(browser, store):
    """Each action as a command, without the key."""
    browser.open("time")
    browser.click("Copy “+ 1 day” as CLI or curl")
    said = browser.until("the commands", lambda: browser.text("dialog"))
    assert "storebus time advance 1d --bundle-id com.example.app" in said, said
    assert not browser.axe(), browser.axe()
    assert "$STOREBUS_ADMIN_KEY" in said and store.key not in said, said
    browser.click("Close", "dialog")
    before = store.ask("GET", f"/admin/v1/apps/{APP}/clock")["now"]
    browser.click("+ 1 day")
    browser.says("Events during the advance")
    after = store.ask("GET", f"/admin/v1/apps/{APP}/clock")["now"]
    assert after[:10] > before[:10], (before, after)

    # A shell takes the words for what they are.
    names = ["o'b $(id) \"x\"", "=ls", "-x", "--foo", "--yes"]
    for account in names:
        store.tester(account)
        browser.open(f"customers/{urllib.parse.quote(account, safe='')}")
        browser.click("Copy “Delete transactions” as CLI or curl")
        line = browser.until("the command", lambda: browser.text("dialog pre"))
        end = ["--yes", "--bundle-id", APP]
        words = [f"--as={account}"] if account.startswith("-") else ["--as", account]
        assert shlex.split(line) == ["storebus", "reset", *words, *end], line
        assert not re.search(r" [=~]", line), line
        browser.click("Close", "dialog")
    # What is named like a flag is the value of one.
    bought = store.buy("--foo", "com.example.hiddenBeaches", "commands-foo")
    browser.open(f"transactions/{bought['id']}")
    browser.click("Copy “Finish” as CLI or curl")
    line = browser.until("the command", lambda: browser.text("dialog pre"))
    assert shlex.split(line) == ["storebus", "finish", bought["transactionIdentifier"], "--as=--foo", "--device=--foo-1", "--bundle-id", APP], line
    browser.click("Close", "dialog")
    browser.open("customers/100%")
    browser.says("100%", "main h1")
    return f"as CLI and curl, words of a shell for {len(names)} names; the clock moved by a day"


def typing(browser, store):
    """What is typed and chosen stays while the page changes around it."""
    browser.open("time")
    named = browser.until("the rates", lambda: browser.all("select[name=named]")[0])
    rate = next(one for one in named.find_elements(By.TAG_NAME, "option") if not one.is_selected()).get_attribute("value")
    Select(named).select_by_value(rate)
    browser.fill("input[name=length]", "3mo")
    for _ in range(2):
        shown = browser.text("header.top time")
        browser.until("the next second", lambda: browser.text("header.top time") != shown)
    assert named.get_attribute("value") == rate, f"{rate} was chosen, now {named.get_attribute('value')}"
    assert browser.all("input[name=length]")[0].get_attribute("value") == "3mo", "the length was lost"

    browser.open("transactions")
    browser.click("Buy outside the app…", "main")
    browser.fill("dialog input[name=quantity]", "3")
    store.buy("tina", "com.example.hiddenBeaches", "typing")
    browser.until("the purchase", lambda: "tina" in browser.text("tbody"))
    assert browser.all("input[name=quantity]")[0].get_attribute("value") == "3", "the quantity was lost"
    browser.click("Close", "dialog")
    row = next(one for one in browser.all("tbody tr") if "tina" in one.text)
    browser.press(row.find_element(By.CSS_SELECTOR, "button[aria-label^='Actions']"))
    browser.click("Delete", "dialog")
    browser.says("is deleted permanently", "dialog")
    browser.keys(Keys.ESCAPE)
    browser.until("the focus to be back", lambda: (browser.driver.switch_to.active_element.get_attribute("aria-label") or "").startswith("Actions for"))
    browser.keys(Keys.ENTER)
    browser.click("Delete", "dialog")
    browser.says("is deleted permanently", "dialog")
    browser.click("Delete", "dialog .row:last-child")
    browser.until("the row to go", lambda: "tina" not in browser.text("tbody"))

    browser.open("promotions")
    browser.fill("input[name=product]", "com.example.nothing")
    browser.click("Add", "main")
    browser.until("what went wrong", lambda: browser.all(".toasts [role=alert]"))
    assert not browser.axe(), browser.axe()
    assert browser.all("input[name=product]")[0].get_attribute("value") == "com.example.nothing", "what was refused was lost"
    browser.click("Close", ".toasts")
    browser.until("it to go", lambda: not browser.all(".toasts [role=alert]"))
    browser.forgive("status of 400", "status of 404", "status of 409", "status of 422")
    return "a chosen rate, a length, a quantity; a removed row goes; what went wrong stays until it is closed"


def two_tabs(browser, store):
    """A second tab signs in anew; the first still does what it is asked, and both are out once it signs out."""
    first = browser.driver.current_window_handle
    browser.open("time")
    browser.driver.switch_to.new_window("tab")
    browser.prepare()
    browser.look(1280)
    ticket = store.ask("POST", "/console/tickets", {})["ticket"]
    browser.driver.get(f"{browser.url}/#ticket={urllib.parse.quote(ticket)}")
    browser.until("the frame", lambda: browser.all("header.top"))
    second = browser.driver.current_window_handle
    browser.driver.switch_to.window(first)
    browser.click("Freeze", "main")
    browser.until("a frozen clock", lambda: store.ask("GET", f"/admin/v1/apps/{APP}/clock")["frozen"])
    browser.click("Real time", "main")
    browser.until("a running clock", lambda: not store.ask("GET", f"/admin/v1/apps/{APP}/clock")["frozen"])
    browser.click("Sign out")
    browser.until("the form", lambda: browser.all("input[name=key]"))
    # The write that was refused before its token was renewed.
    browser.forgive("status of 403")
    browser.driver.switch_to.window(second)
    browser.run("location.hash = '#/customers'")
    browser.until("the form", lambda: browser.all("input[name=key]"))
    browser.forgive("status of 401")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.sign_in(store.key)
    return "the first tab writes on; both are out after it signs out"


def operate(browser, store):
    """One action after another, each looked for in the store."""
    def toast(text):
        browser.says(text, ".toasts")

    def confirm(label):
        browser.click(label, "dialog")

    def choose(name, value, inside="main"):
        field = browser.until(name, lambda: browser.all(f"{inside} select[name='{name}']")[0])
        Select(field).select_by_value(value)

    ours = store.buy("olga", "com.example.hiddenBeaches", "operate-1")
    browser.open(f"transactions/{ours['transactionIdentifier']}", whole=True)
    asked = browser.until("its request", lambda: browser.run("return performance.getEntriesByType('resource').map(one => new URL(one.name)).filter(one => one.pathname.startsWith('/admin/v1/transactions')).map(one => one.pathname + one.search)"))
    assert set(asked) == {f"/admin/v1/transactions/{ours['transactionIdentifier']}"}, asked
    browser.click("Redeliver", "main")
    browser.until("another revision", lambda: store.transactions(account="olga")["transactions"][0]["revision"] > ours["revision"])
    browser.click("Copy “Redeliver” as CLI or curl", "main")
    said = browser.until("the commands", lambda: browser.text("dialog"))
    assert f"storebus redeliver {ours['transactionIdentifier']}\n" in said and f"/admin/v1/transactions/{ours['id']}/redeliver" in said, said
    browser.click("Close", "dialog")
    browser.click("Sign", "main")
    browser.says('"productId": "com.example.hiddenBeaches"')
    browser.click("Finish", "main")
    browser.until("finished", lambda: store.transactions(account="olga")["records"][0]["isFinished"])
    browser.click("Request a refund", "main")
    toast("Refund requested:")
    browser.press(browser.all(".toasts a")[-1])
    browser.says("Refund request of olga")
    browser.open("inbox")
    card = browser.until("the request in the list", lambda: [one for one in browser.all("main section.card") if "Refund request of olga" in one.text][0])
    browser.press(card.find_element(By.CSS_SELECTOR, "button.primary"))
    browser.until("the refund", lambda: store.transactions(account="olga")["transactions"][0].get("revocationDate"))
    browser.open(f"transactions/{ours['id']}")
    browser.click("Reverse the refund", "main")
    browser.until("the refund to be back", lambda: not store.transactions(account="olga")["transactions"][0].get("revocationDate"))
    browser.click("Revoke", "main")
    confirm("Revoke")
    browser.until("the revocation", lambda: store.transactions(account="olga")["transactions"][0].get("revocationDate"))
    browser.click("Delete", "main")
    confirm("Delete")
    browser.until("its end", lambda: not store.transactions(account="olga")["transactions"])
    browser.until("the list", lambda: browser.all("#filter"))

    browser.open("customers")
    browser.fill("input[name=account]", "pia 李")
    browser.click("Create account", "main")
    browser.says("Behaviour")
    browser.click("StoreKit’s defaults", "main")
    choose("storefront", "JPN")
    choose("sheet", "interactive")
    choose("simulate.restore", "unknown")
    browser.click("Save", "main")
    browser.until("the settings", lambda: store.ask("GET", f"/admin/v1/testers/{urllib.parse.quote('pia 李')}")["overrides"] == {
        "storefront": "JPN", "sheet": "interactive", "simulatedErrors": {"restore": "unknown"}})
    browser.click("Copy “Reset settings” as CLI or curl", "main")
    said = browser.until("the commands", lambda: browser.text("dialog"))
    assert "account set 'pia 李' --unset" in said and all(f"--unset {name}" in said for name in ("storefront", "sheet", "simulatedErrors")), said
    browser.click("Close", "dialog")
    browser.click("Reset settings", "main")
    confirm("Reset settings")
    browser.until("the defaults", lambda: browser.all("select[name=sheet]")[0].get_attribute("value") == "")

    subscribed = store.buy("quinn", "com.example.pro.monthly", "operate-2")["transactionIdentifier"]
    browser.open(f"subscriptions/{subscribed}")

    def subscription():
        return store.ask("GET", "/admin/v1/subscriptions?account=quinn")["subscriptions"][0]

    browser.click("Cancel", "main")
    browser.until("auto-renew off", lambda: not subscription()["willAutoRenew"])
    browser.click("Resume", "main")
    browser.until("auto-renew on", lambda: subscription()["willAutoRenew"])
    before = subscription()["expiresDate"]
    browser.click("Extend", "main")
    browser.until("a longer period", lambda: subscription()["expiresDate"] > before)
    browser.click("Renew now", "main")
    browser.until("the next period", lambda: subscription()["period"] == 1)
    browser.click("Expire", "main")
    confirm("Expire")
    browser.until("its end", lambda: subscription()["state"] == "expired")

    browser.open("eligibility?account=rosa")
    browser.until("the account", lambda: browser.all("input[name=account]")[0].get_attribute("value") == "rosa")
    assert "rosa" not in json.dumps(store.ask("GET", "/admin/v1/testers?limit=500")), "a link alone has made an account"
    browser.click("Check", "main")
    browser.says("never subscribed in this group")
    browser.fill("input[name=product]", "com.example.pro.monthly")
    browser.click("Add purchase", "main")
    browser.says("used an offer of this group")

    promoted = store.ask("GET", f"/admin/v1/apps/{APP}/promotions")["promotions"]
    store.ask("PUT", f"/admin/v1/apps/{APP}/promotions", [{"productIdentifier": one["productIdentifier"], "visible": True} for one in promoted])
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        Image.new("RGB", (1024, 1024), (80, 70, 190)).save(file, "PNG")
        file.flush()
        browser.open("promotions")
        browser.until("the fields", lambda: browser.all("input[type=file]"))[0].send_keys(file.name)
        browser.click("Upload", "main")
        browser.until("the image", lambda: browser.all("img.picture"))
    browser.click("Approve", "main")
    browser.until("its review", lambda: store.ask("GET", f"/admin/v1/apps/{APP}/promotions")["promotions"][0]["image"]["state"] == "approved")
    toast("approved and shown on the Store page")
    browser.open("store?account=alice")
    browser.until("the approved image on the page", lambda: browser.run("return [...document.querySelectorAll('.offer img.face')].map(one => one.naturalWidth)") == [1024])
    browser.open("promotions")
    browser.until("the devices", lambda: len(browser.all("main select")[0].find_elements(By.TAG_NAME, "option")) > 1)
    Select(browser.all("main select")[0]).select_by_value("alice-1")
    own = browser.until("the device's list", lambda: browser.all("ol[aria-label='Device overrides']")[0])
    last = own.find_elements(By.CSS_SELECTOR, "li")[-1].text.split("\n")
    product = next(line for line in last if line.startswith("com.example."))
    browser.press(own.find_element(By.CSS_SELECTOR, f"button[aria-label='Move {product} to the top']"))

    def overrides():
        device = store.ask("GET", "/admin/v1/devices/alice-1")
        return next(one for one in device["apps"] if one["bundleId"] == APP)["overrides"]

    browser.until("the device's order", lambda: overrides()["order"][:1] == [product])
    browser.click("Reset", "main")
    browser.until("no order", lambda: not overrides()["order"])

    browser.open("store?account=alice")
    Select(browser.until("the products", lambda: [one for one in browser.all("main select") if len(one.find_elements(By.TAG_NAME, "option")) > 2][0])).select_by_value("com.example.hiddenBeaches")
    browser.until("the QR code", lambda: browser.run("return document.querySelector('img.qr')?.naturalWidth > 0"))
    browser.says("itms-services://?action=purchaseIntent")
    browser.fill("main input[type=search]", "hidden")
    browser.until("one find", lambda: len(browser.all(".offer")) == 1)

    browser.open("notifications")
    browser.fill("input[name=url]", "http://127.0.0.1:9/apple")
    browser.click("Save endpoint", "main")
    toast("Notifications go to http://127.0.0.1:9/apple.")
    choose("type", "TEST")
    browser.click("Trigger", "main")
    browser.until("the notification", lambda: "TEST" in browser.text("tbody"))
    browser.press(browser.all("tbody a")[0])
    browser.says("Decoded payload")
    browser.says("Attempt 1")
    browser.click("Resend", "main")
    toast("Sent again: TEST")
    browser.open("notifications")
    browser.click("Delete endpoint", "main")
    confirm("Delete endpoint")
    browser.says("No endpoint")

    browser.open("time")
    browser.click("Freeze", "main")
    browser.until("a frozen clock", lambda: store.ask("GET", f"/admin/v1/apps/{APP}/clock")["frozen"])
    browser.says("frozen", "header.top")
    browser.click("Real time", "main")
    browser.until("a running clock", lambda: not store.ask("GET", f"/admin/v1/apps/{APP}/clock")["frozen"])
    due = store.ask("GET", f"/admin/v1/apps/{APP}/clock")["nextEvent"]
    browser.click("To the next event", "main")
    browser.until("that instant", lambda: store.ask("GET", f"/admin/v1/apps/{APP}/clock")["now"] >= due)

    browser.open("settings")
    choose("kind", "sharedSecret")
    browser.click("Create key", "main")
    browser.says("Copy it now. It is not shown again.")
    browser.click("Revoke", "main")
    confirm("Revoke")
    browser.until("no key", lambda: not store.ask("GET", f"/admin/v1/apps/{APP}/keys")["keys"])
    browser.click("Add error", "main")
    browser.until("the fault", lambda: store.ask("GET", f"/admin/v1/apps/{APP}/server-api/faults")["faults"])
    browser.click("Remove all", "main")
    browser.until("no fault", lambda: not store.ask("GET", f"/admin/v1/apps/{APP}/server-api/faults")["faults"])
    browser.open("products")
    browser.fill("input[name=id]", "com.example.nothing")
    browser.click("Check", "main")
    browser.says("Reasons")
    return "transactions, customers, subscriptions, promotions, notifications, time, keys: each done, and so in the store"


def hostile(browser, store):
    """Markup in every text one can write stays text."""
    account, device = f"{HOSTILE}a", "x&lt;b&gt;-1"
    report = store.ask("GET", f"/admin/v1/apps/{APP}/catalog")
    report["products"].append({
        "type": "Consumable", "productID": "com.example.hostile", "displayPrice": "1.99", "referenceName": HOSTILE,
        "localizations": [{"locale": "en_US", "displayName": HOSTILE, "description": f"javascript:alert(1) {HOSTILE}"}]})
    with tempfile.NamedTemporaryFile("w", suffix=".storekit", prefix="hostile") as file:
        json.dump(report, file)
        file.flush()
        browser.open("products")
        browser.until("the field", lambda: browser.all("input[type=file]"))[0].send_keys(file.name)
        browser.click("Import", "main")
        browser.says("replaces the catalogue", "dialog")
        browser.click("Import", "dialog")
        browser.says("com.example.hostile")
    store.ask("PUT", f"/admin/v1/apps/{APP}", {"name": HOSTILE})
    store.ask("PUT", f"/admin/v1/devices/{urllib.parse.quote(device)}", {"platform": "iOS", "osVersion": "18.0"})
    store.tester(account, storefront="USA")
    session = store.ask("POST", "/v1/sessions", {
        "client": "app", "bundleId": APP, "deviceId": device, "account": account, "platform": "iOS", "osVersion": "18.0", "appVersion": "1.0"})
    bought = store.ask("POST", "/v1/payments", {
        "productIdentifier": "com.example.hostile", "applicationUsername": HOSTILE}, token=session["token"], key="hostile")
    store.ask("PUT", f"/admin/v1/apps/{APP}/notifications/endpoint", {"url": "http://127.0.0.1:9/%3Cimg%20src=x%20onerror=alert(1)%3E"})
    places = {
        "overview": None, "transactions": account, f"transactions/{bought['id']}": HOSTILE, "customers": account,
        f"customers/{urllib.parse.quote(account, safe='')}": account, "products": HOSTILE, "products/com.example.hostile": HOSTILE,
        f"store?{urllib.parse.urlencode({'account': account, 'device': device})}": HOSTILE, f"eligibility?{urllib.parse.urlencode({'account': account, 'device': device})}": None,
        "notifications": account, "promotions": None, "subscriptions": None, "settings": None,
        f"nowhere/{urllib.parse.quote(HOSTILE, safe='')}": None,
    }
    for place, text in places.items():
        browser.open(place, whole=True)
        if text:
            browser.says(text)
        browser.until("the app's name", lambda: HOSTILE in browser.text("header.top"))
        images = browser.run("return [...document.images].map(one => one.getAttribute('src')).filter(src => !src.startsWith('/console/') && !src.startsWith('data:image/'))")
        links = browser.run("return [...document.links].map(one => one.getAttribute('href')).filter(href => !/^[#\\/]/.test(href))")
        assert not images and not links, (place, images, links)
        assert not browser.run("return window.broken"), f"{place}: a script ran"
        browser.collect()
    store.ask("DELETE", f"/admin/v1/apps/{APP}/notifications/endpoint")
    store.ask("PUT", f"/admin/v1/apps/{APP}", {"name": "Sample"})
    said = sum(text is not None for text in places.values())
    return f"{len(places)} places without markup of it, and {said} of them show it as text"


def bus(browser, store):
    """A purchase passes through the tap with its trace and its reply; a pause, another page and a filter end it; a lost one comes back."""
    def passed(subject):
        return [one for one in browser.all(".tap > li") if subject in one.text]

    def taps():
        return [one for one in store.ask("GET", "/admin/v1/bus/subjects")["subjects"] if one["subject"].startswith("$SYS.TAP.")]

    browser.open("overview")
    browser.run("document.activeElement.blur()")
    browser.keys("g", "u")
    browser.click("Start", "main")
    browser.says("listening")
    assert browser.run("return document.activeElement.textContent") == "Pause", "the button that took its place has no focus"
    store.buy("ursula", "com.example.hiddenBeaches", "tap-1", applicationUsername=HOSTILE)
    added = browser.until("the purchase", lambda: passed("sb.payment.v1.queue.add")[0])
    assert f"c:{APP}:" in added.text, added.text
    browser.until("its reply", lambda: re.search(r"payment-queue\s+replied in [\d.]+ ms", passed("sb.payment.v1.queue.add")[0].text))
    link = added.find_element(By.TAG_NAME, "a")
    trace = link.text
    assert re.fullmatch(r"[0-9a-f]{32}", trace), trace
    assert not passed(".events.list"), "polls are hidden at first"
    polls = next(one for one in browser.all("main label.check") if one.text == "Show polls")
    browser.press(polls)
    browser.until("polls", lambda: passed(".events.list"))
    browser.press(polls)
    browser.until("no polls", lambda: not passed(".events.list"))
    added = passed("sb.payment.v1.queue.add")[0]
    browser.press(added.find_element(By.TAG_NAME, "summary"))
    said = browser.until("the body", lambda: added.find_element(By.TAG_NAME, "pre").text)
    assert json.loads(said)["payment"]["applicationUsername"] == HOSTILE, said
    assert not browser.all("main img") and not browser.run("return window.broken"), "the text of a message became markup"
    assert not browser.axe(), browser.axe()
    browser.press(link)
    browser.until("only its trace", lambda: all(trace in one.text for one in browser.all(".tap > li")) and passed("sb.payment.v1.queue.add"))
    assert f"#/bus?text={trace}&app={APP}" in browser.driver.current_url, browser.driver.current_url
    browser.click("Copy “Live tap” as CLI or curl", "main")
    assert f"storebus bus trace {trace}" in browser.until("the command", lambda: browser.text("dialog")), browser.text("dialog")
    browser.click("Close", "dialog")

    browser.fill("input[name=text]", "two words" + Keys.ENTER)
    browser.until("both words", lambda: "two" in browser.driver.current_url and "words" in browser.driver.current_url and "twowords" not in browser.driver.current_url)
    browser.fill("input[name=text]", Keys.BACKSPACE + Keys.ENTER)
    browser.until("everything", lambda: browser.all(".tap > li") and not all(trace in one.text for one in browser.all(".tap > li")))
    browser.says("listening")
    browser.click("Pause", "main")
    browser.says("paused")
    browser.until("its end", lambda: not taps())
    before = len(passed("sb.payment.v1.queue.add"))
    store.buy("ursula", "com.example.fishingHotSpots", "tap-2")
    time.sleep(1)
    assert len(passed("sb.payment.v1.queue.add")) == before, "a paused tap goes on"
    browser.click("Resume", "main")
    browser.says("listening")
    store.buy("ursula", "com.example.fishingHotSpots", "tap-3")
    browser.until("one more", lambda: len(passed("sb.payment.v1.queue.add")) == before + 1)
    browser.click("Clear", "main")
    browser.until("no purchase", lambda: not passed("sb.payment.v1.queue.add"))

    assert taps()
    browser.open("bus?" + urllib.parse.urlencode({"subject": "sb.payment.*.queue.>", "text": "com.example.hiddenBeaches"}))
    browser.until("the filter", lambda: browser.all("input[name=subject]")[0].get_attribute("value") == "sb.payment.*.queue.>")
    browser.until("the tap of it", lambda: {one["subject"] for one in taps()} == {"$SYS.TAP.sb.payment.*.queue.>", "$SYS.TAP._INBOX.>"})
    browser.says("listening")
    browser.click("Copy “Live tap” as CLI or curl", "main")
    line = browser.until("the command", lambda: browser.text("dialog pre"))
    assert shlex.split(line) == ["storebus", "bus", "trace", "-o", "jsonl", "sb.payment.*.queue.>", "|", "grep", "-F", "-e", "com.example.hiddenBeaches"], line
    browser.click("Close", "dialog")
    store.buy("ursula", "com.example.fishingHotSpots", "tap-4")
    ursula = store.buy("ursula", "com.example.hiddenBeaches", "tap-5")
    browser.until("what fits", lambda: browser.all(".tap > li"))
    browser.press(browser.all(".tap summary")[0])
    browser.until("its body", lambda: "com.example.hiddenBeaches" in browser.text(".tap pre"))
    assert len(browser.all(".tap > li")) == 1, browser.text(".tap")
    old = store.pid("gateway")
    os.kill(old, signal.SIGKILL)
    browser.says("connection lost")
    browser.says("listening")
    browser.forgive("net::ERR_", "status of 502", "status of 503", "status of 504")
    store_buys(store, "ursula", "tap-6")
    browser.open(f"transactions/{ursula['id']}")
    browser.until("the tap to end with its page", lambda: not taps())
    browser.says("Bus messages")
    browser.click("Start", "main")
    browser.says("listening")
    store.ask("POST", f"/v1/transactions/{ursula['id']}/finish", {}, token=store.session("ursula"))
    browser.until("its end on the bus", lambda: passed("sb.payment.v1.transaction.finish"))

    # What the gateway says when there is no bus to look at is in the page's place.
    browser.run("""
        const asked = window.fetch;
        window.fetch = async (target, options) => String(target).startsWith('/admin/v1/bus') ? new Response(JSON.stringify({
            code: 'notSupported', detail: 'The bus is a NATS server.', remedy: 'Look there.', status: 501 }), { status: 501 }) : asked(target, options);
        window.backToFetch = () => { window.fetch = asked; };""")
    browser.open("bus")
    browser.says("The bus is a NATS server.")
    assert [one.text for one in browser.all("main section")] == [], browser.text()
    assert not browser.axe(), browser.axe()
    browser.open("services")
    browser.says("Messages a second are not known. The bus is a NATS server. Look there.")
    browser.run("window.backToFetch()")
    return "a purchase with its trace, as text; paused, filtered, lost and back; of one transaction; refused"


def drain(browser, store):
    """A drained instance ends, and one of the same service comes in its place; the map has it."""
    def instances():
        return [one["id"] for one in store.ask("GET", "/admin/v1/services")["services"] if one["name"] == "eligibility"]

    before = instances()
    browser.open("services", whole=True)
    card = browser.until("its card", lambda: [one for one in browser.all("main section.card") if one.text.startswith("eligibility")][0])
    browser.press(card.find_element(By.CSS_SELECTOR, ".more"))
    browser.says(f"storebus bus drain {before[0]}", "dialog")
    browser.click("Close", "dialog")
    browser.press(card.find_element(By.CSS_SELECTOR, "button.danger"))
    browser.says("It is the only instance", "dialog")
    assert not browser.axe(), browser.axe()
    browser.click("Drain", "dialog")
    browser.says("eligibility is back as")
    after = browser.until("a new instance", instances)
    assert len(after) == 1 and after != before, (before, after)

    def drawn():
        return browser.run("return document.querySelector('svg.map').textContent")

    browser.until("it on the map, with what passes", lambda: after[0][:8] in drawn() and re.search(r"\d/s", drawn()))
    assert before[0][:8] not in drawn(), drawn()
    browser.click("Map as a table", "main")
    rows = {one.find_elements(By.TAG_NAME, "td")[0].text for one in browser.all("main details[open] tbody tr")}
    assert rows == {one["name"] for one in store.ask("GET", "/admin/v1/services")["services"]}, rows
    return f"eligibility {before[0][:8]} drained, {after[0][:8]} in its place"


def recovery(browser, store):
    """A service and the gateway are killed while a page is open; it is right again without being loaded anew."""
    browser.open("transactions", whole=True)
    browser.until("rows", lambda: len(browser.all("tbody tr a")) > 3)
    browser.run("window.sameDocument = true")
    queue_pid = store.pid("payment-queue")
    os.kill(queue_pid, signal.SIGKILL)
    began = time.monotonic()
    browser.until("a new payment-queue", lambda: started(store, "payment-queue", queue_pid))
    store_buys(store, "henry", "after-queue")
    browser.open("subscriptions")
    browser.until("subscriptions", lambda: browser.all("svg.lane[role=img]"))
    queue = time.monotonic() - began
    browser.open("transactions?filter=account%3Dhenry")
    browser.until("the purchase after it", lambda: "henry" in browser.text("tbody"))

    old = store.pid("gateway")
    os.kill(old, signal.SIGKILL)
    began = time.monotonic()
    browser.says("Not connected", "header.top")
    away = browser.axe()
    assert not away, away
    browser.until("to be live again", lambda: "Live" in browser.text("header.top"))
    gateway = time.monotonic() - began
    store_buys(store, "henry", "after-gateway")
    browser.until("two purchases", lambda: len([one for one in browser.all("tbody tr") if "henry" in one.text]) == 2)
    assert browser.run("return window.sameDocument"), "the page was loaded anew"
    browser.forgive("net::ERR_", "status of 502", "status of 503", "status of 504")
    return f"right again {queue:.1f} s after payment-queue was killed, {gateway:.1f} s after the gateway was"


def without_worker(browser, store):
    """A browser that has no SharedWorker is live all the same."""
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    browser.prepare()
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete window.SharedWorker;"})
    browser.look(1280)
    browser.open("overview", whole=True)
    browser.until("to be live", lambda: "Live" in browser.text("header.top"))
    browser.until("what happened before it was opened", lambda: len(browser.all(".feed li")) > 3)
    store_buys(store, "iris", "without-worker")
    browser.until("the purchase in the feed", lambda: "iris" in browser.text(".feed"))
    browser.collect()
    browser.driver.close()
    browser.driver.switch_to.window(first)
    return "live without SharedWorker, with what happened before"


def started(store, service, before):
    """Whether the service runs anew: its file is away until it is ready."""
    try:
        return store.pid(service) != before
    except (OSError, ValueError):
        return False


def store_buys(store, account, key):
    """A purchase that is repeated under its key until it is taken."""
    deadline = time.monotonic() + 20
    while True:
        try:
            return store.buy(account, "com.example.fishingHotSpots", key)
        except (AssertionError, OSError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def scrolled(browser):
    """The milliseconds of the longest frame while a long table is scrolled to its end."""
    return browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const area = document.querySelector('[data-rows]');
        let longest = 0, step = 0, last = performance.now();
        const next = now => {
            longest = Math.max(longest, now - last);
            last = now;
            if (step++ < 60) { area.scrollTop = area.scrollHeight * step / 60; requestAnimationFrame(next); } else done(longest);
        };
        requestAnimationFrame(now => { last = now; next(now); });""")


def many(browser, store):
    """100 000 rows: few of them are in the page, and the last one is reached."""
    rows = 100_000
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const asked = window.fetch;
        window.fetch = async (target, options) => {
            const url = new URL(target, location);
            if (!window.manyRows || url.pathname !== '/admin/v1/transactions') return asked(target, options);
            const from = Number((url.searchParams.get('after') || 't_0').slice(2));
            const to = Math.min(window.manyRows, from + 100);
            const ids = Array.from({ length: to - from }, (_, index) => from + index + 1);
            return new Response(JSON.stringify({
                transactions: ids.map(id => ({ id: `t_${String(id).padStart(8, '0')}`, transactionIdentifier: String(2e15 + id), transactionState: 'purchased',
                    transactionDate: '2027-01-01T00:00:00.000Z', payment: { productIdentifier: 'com.example.many', quantity: 1 }, original: null, error: null, downloads: [], revision: 2, deliveries: 0, originDeviceId: 'm-1' })),
                records: ids.map(() => ({ account: 'many', bundleId: 'com.example.app', customerIdentifier: 'c', isFinished: true })),
                after: to < window.manyRows ? `t_${String(to).padStart(8, '0')}` : undefined }));
        };"""})
    browser.open("services", whole=True)
    browser.run("window.manyRows = arguments[0]", rows)
    began = time.monotonic()
    browser.open("transactions")
    browser.until("all rows", lambda: browser.run("return document.querySelector('table').getAttribute('aria-rowcount')") == str(rows + 1))
    loaded = time.monotonic() - began
    longest = scrolled(browser)
    browser.until("the oldest row", lambda: "2000000000000001" in browser.text("tbody"))
    shown = len(browser.all("tbody tr"))
    assert shown < 80, shown
    browser.run("window.manyRows = 0")
    return f"{rows:,} rows loaded in {loaded:.1f} s, {shown} in the page, longest frame while scrolling {longest:.0f} ms"


def many_customers(browser, store):
    """10 000 accounts: few of them are in the page, the last one is reached, and a search finds one."""
    accounts = 10_000
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const before = window.fetch;
        window.fetch = async (target, options) => {
            const url = new URL(target, location);
            if (!window.manyAccounts || url.pathname !== '/admin/v1/testers') return before(target, options);
            const from = Number(url.searchParams.get('after') || 0);
            const to = Math.min(window.manyAccounts, from + Number(url.searchParams.get('limit')));
            return new Response(JSON.stringify({
                testers: Array.from({ length: to - from }, (_, index) => ({ account: `many-${String(from + index + 1).padStart(5, '0')}`, storefront: 'USA', overrides: {} })),
                after: to < window.manyAccounts ? String(to) : undefined }));
        };"""})
    browser.open("services", whole=True)
    browser.run("window.manyAccounts = arguments[0]", accounts)
    began = time.monotonic()
    browser.open("customers")
    browser.until("all accounts", lambda: browser.run("return document.querySelector('table').getAttribute('aria-rowcount')") == str(accounts + 1))
    loaded = time.monotonic() - began
    longest = scrolled(browser)
    browser.until("the last account", lambda: "many-10000" in browser.text("tbody"))
    shown = len(browser.all("tbody tr"))
    assert shown < 80, shown
    assert browser.run("const area = document.querySelector('[data-rows]'); return area.scrollWidth <= area.clientWidth"), "the table is wider than its card"
    browser.fill("#filter", "Many-07777")
    browser.until("one find", lambda: [one.text.split()[0] for one in browser.all("tbody tr[aria-rowindex]")] == ["many-07777"])
    browser.run("window.manyAccounts = 0")
    return f"{accounts:,} accounts loaded in {loaded:.1f} s, {shown} rows in the page, longest frame while scrolling {longest:.0f} ms"


def dragging(browser, store):
    """A promoted product is dragged by its grip with the pointer."""
    def order():
        return [one["productIdentifier"] for one in store.ask("GET", f"/admin/v1/apps/{APP}/promotions")["promotions"]]

    before = order()
    browser.open("promotions")
    grips = browser.until("the grips", lambda: len(browser.all(".grip")) == len(before) and browser.all(".grip"))
    rows = browser.all(".promotion")
    browser.run("arguments[0].scrollIntoView({ block: 'center' })", rows[1])
    pointer = ActionChains(browser.driver, duration=60)
    pointer.click_and_hold(grips[0]).move_to_element(rows[1]).move_to_element(rows[2]).perform()
    browser.until("the row under the pointer to be marked", lambda: [one for one in browser.all(".promotion") if "over" in one.get_attribute("class").split()] == [rows[2]])
    assert order() == before, "it was moved before it was let go"
    pointer.release().perform()
    moved = [before[1], before[2], before[0], *before[3:]]
    browser.until("the new order", lambda: order() == moved)
    browser.until("its announcement", lambda: any(f"{before[0]} moved, 3 of" in one.get_attribute("textContent") for one in browser.all("[role=status]")))
    # Let go where it was taken up, it stays.
    grips = browser.all(".grip")
    ActionChains(browser.driver, duration=60).click_and_hold(grips[1]).move_by_offset(0, 3).release().perform()
    time.sleep(0.5)
    assert order() == moved, order()
    browser.click(f"Move {before[0]} to the top")
    browser.until("the old order", lambda: order() == before)
    return "two rows down, marked on the way, and announced"


def featured(browser, store):
    """The featured tab: set beside the order, shown by the store page, and taken back."""
    product = "com.example.hiddenBeaches"

    def tab():
        return [one["productIdentifier"] for one in store.ask("GET", "/admin/v1/featured")["products"] if one["bundleId"] == APP]

    browser.open("promotions")
    row = browser.until("the product", lambda: [one for one in browser.all("ol[aria-label='Order and visibility'] > li") if product in one.text][0])
    browser.press(next(one for one in row.find_elements(By.CSS_SELECTOR, "button") if one.text == "Feature"))
    browser.until("the tab", lambda: tab() == [product])
    browser.says(f"The store page’s featured tab shows {product}.")
    browser.click("Copy “Featured tab” as CLI or curl", "main")
    said = browser.until("the commands", lambda: browser.text("dialog"))
    assert f"storebus promo featured {product} --bundle-id {APP}" in said, said
    assert not browser.axe(), browser.axe()
    browser.click("Close", "dialog")
    browser.open("store?account=alice&tab=featured")
    browser.until("the product on the tab", lambda: [one.text.split("\n")[0] for one in browser.all(".offer .break")] == ["Hidden Beaches"])
    browser.open("promotions")
    browser.click("Unfeature", "section[aria-label='Featured tab']")
    browser.until("an empty tab", lambda: tab() == [])
    browser.says("No featured products.")
    return "featured by a button, on the store page's tab, and not featured again"


def badge(browser, store):
    """The page's icon and its title have the number that waits in the inbox."""
    def icon():
        return browser.run("return document.querySelector('link[rel=icon]').href")

    def answer_all():
        for prompt in store.ask("GET", "/admin/v1/prompts?limit=100")["prompts"]:
            store.ask("POST", f"/admin/v1/prompts/{prompt['id']}", {"answer": prompt["answers"][-1]})
        for one in store.ask("GET", f"/admin/v1/apps/{APP}/refund-requests")["refundRequests"]:
            store.ask("POST", f"/admin/v1/refundRequests/{one['refundRequestIdentifier']}/decline")

    answer_all()
    browser.open("overview", whole=True)
    browser.until("the plain icon", lambda: icon().endswith("/console/icon.svg") and not browser.driver.title.startswith("("))
    store.tester("ivo", askToBuy=True)
    store.buy("ivo", "com.example.hiddenBeaches", "badge-ask")
    bought = store.buy("jana", "com.example.hiddenBeaches", "badge-refund")
    store.ask("POST", f"/admin/v1/transactions/{bought['id']}/refundRequest", {"reason": "OTHER"})
    browser.until("two in the title", lambda: browser.driver.title.startswith("(2) "))
    browser.until("the icon with them", lambda: icon().startswith("data:image/png;base64,"))
    # The policy allows it as an image, and it has the badge's colour, the digit's and the bag's.
    colours = browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const image = new Image();
        image.onload = () => {
            const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
            const area = canvas.getContext('2d');
            area.drawImage(image, 0, 0);
            const at = (x, y) => [...area.getImageData(x, y, 1, 1).data].slice(0, 3).join(' ');
            const digit = Array.from({ length: 30 }, (_, y) => Array.from({ length: 30 }, (_, x) => at(28 + x, 6 + y))).flat().filter(one => one === '255 255 255').length;
            done({ badge: at(58, 20), bag: at(8, 32), digit });
        };
        image.onerror = () => done('refused');
        image.src = arguments[0];""", icon())
    assert colours["badge"] == "168 31 45" and colours["bag"] == "79 70 184" and colours["digit"] > 40, colours
    answer_all()
    browser.until("the plain icon", lambda: icon().endswith("/console/icon.svg") and not browser.driver.title.startswith("("))
    return "2 in the title and on the icon, and none when they are answered"


def copies(browser):
    """Texts that are copied from now on, instead of going to the clipboard."""
    browser.run("window.copied = []; navigator.clipboard.writeText = async text => { window.copied.push(text); }")
    return lambda: browser.run("return window.copied")


def notification(browser, store):
    """A failed notification: what was sent and answered, whole, with links; sent again alone and with all that failed."""
    with receiver([500, 500, 500]) as (url, received):
        store.ask("PUT", f"/admin/v1/apps/{APP}/notifications/endpoint", {"url": url, "retry": "sandbox"})
        for product in ("com.example.pro.monthly", "com.example.hiddenBeaches"):
            store.buy("nils", product, f"notification-{product}")
        bought = store.transactions(account="nils")["transactions"][0]

        def listed():
            return store.ask("GET", f"/admin/v1/apps/{APP}/notifications?account=nils")["notifications"]

        browser.until("both to fail", lambda: [one["state"] for one in listed()] == ["failed", "failed"])
        one = listed()[-1]
        browser.open("notifications")
        browser.says("SUBSCRIBED.INITIAL_BUY", "tbody")
        row = next(row for row in browser.all("tbody tr") if "nils" in row.text and "SUBSCRIBED" in row.text)
        assert "HTTP 500" in row.text, row.text
        browser.press(row.find_element(By.CSS_SELECTOR, f"a[href^='#/notifications/{one['notificationUUID']}']"))
        browser.says("SUBSCRIBED.INITIAL_BUY", "main h1")
        browser.says("HTTP 500")
        copied = copies(browser)
        for label in ("Copy signed payload", "Copy decoded payload", "Copy request", "Copy response"):
            browser.click(label, "main")
        browser.until("four copies", lambda: len(copied()) == 4)
        payload, decoded, request, response = copied()
        assert payload == received[0], (payload[:60], received[0][:60])
        assert json.loads(decoded) == claims(payload), decoded[:200]
        assert request.startswith(f"POST {url}\n") and json.loads(request.split("\n\n")[1]) == {"signedPayload": payload}, request[:120]
        assert response == "HTTP 500\n\nout of order", response
        links = browser.run("return [...document.querySelectorAll('main dd a')].map(one => one.getAttribute('href').split('?')[0])")
        assert links == ["#/customers/nils", f"#/transactions/{bought['transactionIdentifier']}", "#/products/com.example.pro.monthly"], links
        assert not browser.axe(), browser.axe()
        browser.click("Resend", "main")
        browser.says("Attempt 2")
        browser.until("its attempt", lambda: len(received) == 3)
        browser.click("Resend all failed", "main")
        browser.says("Every failed notification", "dialog")
        browser.click("Resend", "dialog")
        browser.until("both delivered", lambda: [one["state"] for one in listed()] == ["delivered", "delivered"])
        browser.says("failed notifications are sent again.", ".toasts")
        browser.until("the last result", lambda: "SUCCESS" in browser.text("main section[aria-label='Notification']"))
        mine = [one for one in received[3:] if claims(one)["notificationUUID"] in {one["notificationUUID"] for one in listed()}]
        assert [claims(one)["notificationType"] for one in mine] == ["SUBSCRIBED", "ONE_TIME_CHARGE"], mine
        browser.open("customers/nils")
        browser.says("Attempt 1 of SUBSCRIBED.INITIAL_BUY HTTP 500", "main .timeline")
        browser.says("Attempt 2 of ONE_TIME_CHARGE HTTP 200", "main .timeline")
    store.ask("DELETE", f"/admin/v1/apps/{APP}/notifications/endpoint")
    return "signed and decoded payload, request and response copied whole; sent again alone, and with all that failed"


def hub(browser, store):
    """A customer's page: one timeline, entitlements, Buy, folded settings; and a page that says so for nobody."""
    store.buy("alice", "com.example.fishingHotSpots", "hub-spots")
    browser.open("customers/alice")
    browser.until("the timeline", lambda: browser.all("main .timeline > li"))
    while [one for one in browser.all("main section[aria-label='Timeline'] button") if one.text == "More"]:
        browser.click("More", "main section[aria-label='Timeline']")
    rows = browser.all("main .timeline > li")
    times = browser.run("return [...document.querySelectorAll('main .timeline time')].map(one => one.getAttribute('datetime'))")
    assert times == sorted(times, reverse=True) and len(rows) > 6, times
    said = browser.text("main .timeline")
    for what in ("subscribed com.example.pro.monthly", "renewed com.example.pro.monthly", "purchased com.example.fishingHotSpots", "SUBSCRIBED.INITIAL_BUY", "refunded com.example.hiddenBeaches"):
        assert what in said, (what, said)
    assert re.search(r"[A-Z][a-z]{2} \d+, \d{4}", said), "the dates are missing"
    browser.click("Notifications", "main")
    browser.until("only notifications", lambda: "renewed" not in browser.text("main .timeline") and "DID_RENEW" in browser.text("main .timeline"))
    browser.click("Bus", "main")
    browser.click("Start", "main")
    browser.says("listening")
    browser.run("performance.clearResourceTimings()")
    store.buy("alice", "com.example.fishingHotSpots", "hub-bus")
    browser.until("the purchase on the bus", lambda: any("sb.payment.v1.queue.add" in one.text for one in browser.all(".tap > li")))

    def paths():
        return browser.run("return performance.getEntriesByType('resource').map(one => new URL(one.name).pathname)")

    browser.until("the purchase to be read", lambda: "/admin/v1/transactions" in paths())
    unasked = {"/admin/v1/devices", "/admin/v1/storefronts", f"/admin/v1/apps/{APP}/products", f"/admin/v1/apps/{APP}/catalog"}
    assert not unasked & set(paths()), paths()
    entitled = browser.text("main section[aria-label='Entitlements']")
    assert "com.example.pro.monthly" in entitled and "com.example.fishingHotSpots" not in entitled, entitled
    assert "alice-1" in browser.text(), "the device is missing"
    field = browser.all("select[name=sheet]")[0]
    assert not field.is_displayed(), "the settings are open"
    browser.click("StoreKit’s defaults", "main")
    browser.until("the settings", lambda: field.is_displayed())
    assert not browser.axe(), browser.axe()

    store.buy("hugo", "com.example.hiddenBeaches", "hub-hugo")
    browser.open("customers/hugo")
    product = Select(browser.until("the products", lambda: browser.all("main select[name=product]")[0]))
    product.select_by_value("com.example.hiddenBeaches")
    browser.says("Owned", "main section[aria-label='Buy']")
    product.select_by_value("com.example.pro.monthly")
    browser.click("Buy", "main section[aria-label='Buy']")
    browser.says("Purchased com.example.pro.monthly:", ".toasts")
    browser.until("the entitlement", lambda: "subscribed" in browser.text("main section[aria-label='Entitlements']"))
    link = browser.until("its link", lambda: browser.all(".toasts a")[-1])
    newest = max(store.transactions(account="hugo")["transactions"], key=lambda one: one["transactionIdentifier"])
    assert link.get_attribute("href").split("?")[0].endswith(f"#/transactions/{newest['id']}"), link.get_attribute("href")
    browser.press(link)
    browser.says(newest["transactionIdentifier"], "main h1")

    # Another product of the group, from its own page, which is not promoted for long either.
    levels = {one["productID"]: one["groupNumber"] for group in store.ask("GET", f"/admin/v1/apps/{APP}/catalog")["subscriptionGroups"] for one in group["subscriptions"]}
    by = levels["com.example.pro.yearly"] - levels["com.example.pro.monthly"]
    change = "Upgrade" if by < 0 else "Downgrade" if by > 0 else "Crossgrade"
    browser.open("products/com.example.pro.yearly")
    browser.fill("main section[aria-label='Buy'] input[name=account]", "hugo" + Keys.TAB)
    browser.click(change, "main section[aria-label='Buy']")
    browser.says("Purchased com.example.pro.yearly:", ".toasts")
    held = store.ask("GET", "/admin/v1/subscriptions?account=hugo")["subscriptions"][0]
    assert "com.example.pro.yearly" in (held["productIdentifier"], held["autoRenewProductIdentifier"]), held

    browser.open("customers/alcie")
    browser.says("Account “alcie” not found", "main h1")
    assert [one.text for one in browser.all("main .list a")] == ["alice"], browser.text()
    assert "alcie" not in json.dumps(store.ask("GET", "/admin/v1/testers?limit=500")), "looking at nobody has made an account"
    assert not browser.axe(), browser.axe()
    return f"a timeline of {len(rows)} entries; owned, Buy and {change}; nobody is not found, alice is near"


@contextlib.contextmanager
def chosen(browser, app):
    """Another app in the header's switcher. Afterwards it is the first again, also behind a failure."""
    def choose(name):
        browser.open("overview", whole=True)
        found = browser.until(f"the app {name}", lambda: [one for one in browser.all("header.top select") if name in one.text][0])
        Select(found).select_by_value(name)
        browser.settled()

    choose(app)
    try:
        yield
    finally:
        choose(APP)


def other_app(browser, store):
    """An app that was imported begins with a product that it has; its levels say what is an upgrade."""
    other = "com.example.other"

    def product(name, kind, **more):
        return {"type": kind, "productID": f"{other}.{name}", "displayPrice": "0.99", "referenceName": name,
                "localizations": [{"locale": "en_US", "displayName": name, "description": name}], **more}

    def level(name, number):
        return product(name, "RecurringSubscription", subscriptionGroupID="77001", groupNumber=number, recurringSubscriptionPeriod="P1M")

    store.ask("PUT", f"/admin/v1/apps/{other}/catalog", {
        "products": [product("coins", "Consumable")],
        "subscriptionGroups": [{"id": "77001", "name": "Club", "localizations": [], "subscriptions": [level("gold", 1), level("silver", 2)]}]})
    with chosen(browser, other):
        browser.says(f"storebus buy com.example.other.coins --as alice --bundle-id {other}", "main .steps")
        assert "com.example.pro" not in browser.text("main .steps"), browser.text("main .steps")
        for name, label in (("silver", "Buy"), ("gold", "Upgrade"), ("silver", "Downgrade")):
            browser.open(f"products/{other}.{name}")
            browser.fill("main section[aria-label='Buy'] input[name=account]", "zoe" + Keys.TAB)
            browser.click(label, "main section[aria-label='Buy']")
            browser.says(f"Purchased {other}.{name}:", ".toasts")
        # The message of the first purchase of silver may still be there, and says the same.
        browser.until("gold to be held, and silver to be next", lambda: [
            (one["productIdentifier"], one["autoRenewProductIdentifier"])
            for one in store.ask("GET", f"/admin/v1/subscriptions?account=zoe&bundleId={other}")["subscriptions"]] == [(f"{other}.gold", f"{other}.silver")])
        browser.open("store?account=zoe")
        browser.until("gold to be owned, and silver to be a change", lambda: [one.text.split("\n")[-1] for one in browser.all(".offer") if "gold" in one.text] == ["Owned"] and "Downgrade" in browser.text(".phone"))
    return "the first steps name its product; bought, upgraded and downgraded from the products' pages"


def family(browser, store):
    """A family made, joined, changed and ended on its persons' pages; the member has what is shared."""
    def persons():
        return [(one["account"], one["sharesPurchases"], one["receivesPurchases"])
                for family in store.ask("GET", f"/admin/v1/apps/{APP}/families")["families"] for one in family["persons"]]

    store.buy("fay", "com.example.hiddenBeaches", "family-fay")
    browser.open("customers/fay")
    browser.says("The account is in no family.", "main section[aria-label='Family']")
    browser.fill("main section[aria-label='Family'] input[name=family]", "smith")
    browser.click("Create family", "main section[aria-label='Family']")
    card = "main section[aria-label='Family “smith”']"
    browser.fill(f"{card} input[name=account]", "finn")
    browser.click("Add account", card)
    browser.says("finn added to smith.", ".toasts")
    assert persons() == [("fay", True, True), ("finn", True, True)], persons()
    assert not browser.axe(), browser.axe()
    browser.open("customers/finn")
    browser.until("what fay shares", lambda: "com.example.hiddenBeaches" in browser.text("main section[aria-label='Entitlements']"))
    browser.click("Copy “Receives” as CLI or curl", f"{card} li:last-child")
    browser.says("storebus family add --receives no smith finn", "dialog")
    browser.click("Close", "dialog")
    browser.click("Receives", f"{card} li:last-child")
    browser.until("it to be gone", lambda: "com.example.hiddenBeaches" not in browser.text("main section[aria-label='Entitlements']"))
    assert persons()[1] == ("finn", True, False), persons()
    browser.click("End family", card)
    browser.click("End family", "dialog")
    browser.says("The account is in no family.", "main section[aria-label='Family']")
    assert persons() == [], persons()
    return "made, joined, changed and ended; what is shared comes and goes"


def monthly(browser, store):
    """A year in monthly payments, bought on the customer's page; the subscription says its payment."""
    other = "com.example.years"
    store.ask("PUT", f"/admin/v1/apps/{other}/catalog", {
        "version": {"major": 5, "minor": 0}, "settings": {"_storefront": "DEU"}, "products": [],
        "subscriptionGroups": [{"id": "77002", "name": "Club", "localizations": [], "subscriptions": [{
            "type": "RecurringSubscription", "productID": f"{other}.year", "displayPrice": "49.99", "referenceName": "Year",
            "localizations": [{"locale": "en_US", "displayName": "Year", "description": "Year"}], "subscriptionGroupID": "77002", "groupNumber": 1,
            "recurringSubscriptionPeriod": "P1Y", "billingPlans": [{"billingPlanType": "MONTHLY", "displayPrice": "4.99", "commitmentDisplayPrice": "59.88"}]}]}]})
    with chosen(browser, other):
        browser.open(f"products/{other}.year")
        browser.fill("main section[aria-label='Buy'] input[name=account]", "yuri" + Keys.TAB)
        plan = Select(browser.until("the plans", lambda: browser.all("main select[name=plan]")[0]))
        assert "4.99" in plan.options[1].text and "59.88" in plan.options[1].text, plan.options[1].text
        plan.select_by_value("MONTHLY")
        browser.click("Buy", "main section[aria-label='Buy']")
        browser.says(f"Purchased {other}.year:", ".toasts")
        held = store.ask("GET", f"/admin/v1/subscriptions?account=yuri&bundleId={other}")["subscriptions"][0]
        assert held["billingPlanType"] == "MONTHLY", held
        browser.open(f"subscriptions/{held['originalTransactionIdentifier']}")
        browser.says("payment 1 of 12", "main .card")
        browser.says("59.88 in all", "main .facts")
        assert not browser.axe(), browser.axe()
    return "bought by the month; payment 1 of 12"


def faults(browser, store):
    """Faults put in force by keyboard, counted while something is bought, said on every page, and healed."""
    def named():
        return {(one["fault"], one["service"]): one for one in store.ask("GET", "/admin/v1/faults")["faults"]}

    def counts():
        pressed = browser.all(".matrix [aria-pressed=true]")
        assert len(pressed) == 1, len(pressed)
        return [int(count.replace(",", "")) for count in re.search(r"([\d,]+) of ([\d,]+)", pressed[0].text).groups()]

    store.ask("DELETE", "/admin/v1/faults")
    browser.open("overview")
    browser.run("document.activeElement.blur()")
    browser.keys("g", "x")
    browser.until("the table", lambda: len(browser.all(".matrix [aria-pressed=false]")) == 48)
    headers = browser.run("return [...document.querySelectorAll('.matrix th[scope=row]')].map(one => one.firstChild.data)")
    assert headers[0] == "broker" and len(headers) == 8, headers
    browser.click("Copy “delay at payment-queue” as CLI or curl")
    said = browser.until("the commands", lambda: browser.text("dialog"))
    assert "storebus chaos fault add delay payment-queue" in said and '"fault":"delay"' in said, said
    browser.click("Close", "dialog")
    browser.run("document.querySelector('.matrix [aria-pressed]').focus()")
    browser.keys(*[Keys.ARROW_DOWN] * headers.index("payment-queue"), Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert "delay at payment-queue" in browser.driver.switch_to.active_element.get_attribute("textContent")
    browser.keys(Keys.SPACE)
    browser.until("the fault in force", lambda: list(named()) == [("delay", "payment-queue")])
    browser.says("delay at payment-queue", ".banners")
    before = browser.until("its counts", lambda: counts())
    assert not browser.axe(), browser.axe()
    for number in range(4):
        store_buys(store, "kira", f"faults-{number}")
    browser.until("more that matched", lambda: counts()[1] > before[1])
    browser.until("more that were struck", lambda: named()[("delay", "payment-queue")]["struck"] > 0 and counts()[0] > before[0])
    struck, matched = counts()
    browser.click("Payment processor cut off", "main")
    browser.until("both", lambda: set(named()) == {("delay", "payment-queue"), ("partition", "payment-processor")})
    browser.press(next(one for one in browser.all(".matrix [aria-pressed=true]") if "payment-queue" in one.get_attribute("textContent")))
    browser.until("one of them", lambda: set(named()) == {("partition", "payment-processor")})
    browser.open("customers")
    browser.says("partition at payment-processor", ".banners")
    browser.click("Heal all", ".banners")
    browser.until("no fault", lambda: not store.ask("GET", "/admin/v1/faults")["rules"])
    browser.until("no banner", lambda: browser.all(".banners") and not browser.text(".banners"))

    # A broker that takes no faults: what to do is said instead.
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const others = window.fetch;
        window.fetch = async (target, options) => {
            const answer = JSON.parse(sessionStorage.getItem('faults') || 'null');
            return !answer || new URL(target, location).pathname !== '/admin/v1/faults' ? others(target, options) : new Response(JSON.stringify(answer.body), { status: answer.status });
        };"""})

    def answers(status, body):
        browser.run("sessionStorage.setItem('faults', arguments[0])", json.dumps({"status": status, "body": body}))

    answers(200, {"isEnabled": False, "seed": 0, "faults": [], "rules": [], "struck": {}})
    browser.open("chaos", whole=True)
    browser.says("STOREBUS_CHAOS=1 storebus up")
    assert not browser.all(".matrix"), "there is nothing to put in force"
    answers(501, {"code": "notSupported", "detail": "The bus is a NATS server.", "remedy": HOSTILE})
    browser.open("chaos", whole=True)
    browser.says("The bus is a NATS server.")
    browser.says(HOSTILE)
    assert browser.text().count("The bus is a NATS server.") == 1 and "storebus chaos fault add kill payment-queue" in browser.text(), browser.text()
    # A rule that others have set is none of the faults by name.
    rule = {"match": HOSTILE, "to": HOSTILE, "p": 0.5, "action": "drop", "matched": 4, "struck": 2}
    answers(200, {"isEnabled": True, "seed": 9, "faults": [], "rules": [rule], "struck": {"drop": 2}})
    browser.open("chaos", whole=True)
    browser.until("the rule", lambda: any(one.text.startswith("drop") and HOSTILE in one.text for one in browser.all("tbody tr")))
    browser.says("1 rule on the bus", ".banners")
    browser.run("sessionStorage.removeItem('faults')")
    return f"delay in force by keyboard, {struck} of {matched} messages struck while four purchases were made, a preset, healed from another page"


def run(browser, store):
    """A run is followed while it goes on; its texts stay texts."""
    def put(phase, elapsed, **more):
        store.ask("PUT", "/admin/v1/chaos/runs/5c1", report("5c1", phase, elapsed, **more))

    def tile(name):
        return [one.text for one in browser.all(".tile") if one.text.startswith(name)][0].split("\n")[1]

    browser.open("chaos")
    put("warmUp", 3)
    row = browser.until("the run in the list", lambda: [one for one in browser.all("tbody tr") if "5c1" in one.text and "warming up" in one.text][0])
    browser.press(row.find_element(By.CSS_SELECTOR, "a"))
    browser.until("its page", lambda: tile("Phase") == "warming up")
    browser.until("its first steps", lambda: browser.run("return Boolean(document.querySelector('.scroll > svg.run'))"))
    for phase, says, elapsed in (("faults", "faults", 20), ("healed", "healed", 31), ("quiet", "open requests get their outcome", 34), ("final", "reading everything", 36)):
        put(phase, elapsed)
        browser.until(phase, lambda: tile("Phase") == says)
        shown = browser.run("return [...document.querySelectorAll('.scroll > svg.run .band')].length")
        begun = len(report("5c1", phase, elapsed)["faults"])
        assert shown == begun, (phase, shown, begun)
        if phase == "faults":
            browser.says("partition of gateway", ".scroll > svg.run")
            board = next(one.text for one in browser.all("tbody tr") if one.text.startswith("catalog"))
            assert "away" in board, board
            assert not browser.axe(), browser.axe()
    put("ended", 40)
    browser.until("the verdict", lambda: tile("Verdict") == "invalid")
    browser.says("INVALID 3 invariants, 1 broken")
    outcomes = {one.find_elements(By.TAG_NAME, "td")[0].text: one.find_element(By.CSS_SELECTOR, ".pill") for one in browser.all("tbody tr") if one.text[:2] in {"P1", "P3", "O1"} and one.find_elements(By.CSS_SELECTOR, ".pill")}
    icons = {name: (pill.text, browser.run("return getComputedStyle(arguments[0], '::before').content", pill)) for name, pill in outcomes.items()}
    assert icons == {"P1": ("held", '"✓"'), "P3": ("broken", '"✕"'), "O1": ("not exercised", '"•"')}, icons
    assert tile("Lost") == "0" and tile("Double charges") == "1" and tile("Worst recovery") == "1.9 s", browser.text(".tiles")
    command = next(one.text for one in browser.all("main pre") if one.text.startswith("storebus"))
    assert command == COMMAND, command
    for text in ("3 refused, 6 without an answer, 5 sent again of 80 operations", "not recovered", "the seed did not draw it", "needs libfaketime", "declined on purpose", "2 of payment-queue",
                 "commit 0123abcd", "2 cores, A processor, 8 GiB", "two charges"):
        browser.says(text)
    fills = [browser.run("return getComputedStyle(document.querySelector('.scroll > svg.run .' + arguments[0])).fill", name) for name in ("succeeded", "declined", "refused", "unknown")]
    assert len(set(fills)) == 4, fills
    steps = len(report("5c1", "ended", 40)["steps"])
    assert browser.run("return document.querySelectorAll('.scroll > svg.run .succeeded')[0].getAttribute('d').split('M').length - 1") == steps
    browser.click("The timeline as a table", "main")
    browser.until("its rows", lambda: len(browser.all("details:first-of-type tbody tr")) == steps)
    assert "delay of payment-queue" in browser.all("details:first-of-type tbody tr")[7].text
    assert not browser.axe(), browser.axe()

    # A run that reports itself no more.
    put("faults", 20, updatedAt="2020-01-01T00:00:00.000Z")
    browser.open("chaos/5c1", whole=True)
    browser.until("its end", lambda: tile("Phase") == "broken off")
    put("faults", 21)
    browser.until("its next report", lambda: tile("Phase") == "faults")

    texts = [HOSTILE + str(number) for number in range(8)]
    made = report("5c1", "ended", 20)
    put("ended", 20, setup={"targets": [texts[0]], "workload": texts[2]}, faultKinds=[{**made["faultKinds"][1], "fault": texts[1], "reason": texts[1]}], line=texts[3], report=texts[4],
        services=[{**made["services"][0], "service": texts[5], "faults": [texts[5]]}], faults=[{**made["faults"][0], "fault": texts[6], "service": texts[6]}],
        invariants=[{**made["invariants"][0], "invariant": texts[7], "statement": texts[7]}])
    for text in texts:
        browser.says(text)
    browser.collect()
    assert not browser.run("return document.querySelectorAll('main img').length"), "a text of the run was taken for markup"
    browser.open("chaos/nothing")
    browser.says("There is no such run")
    browser.forgive("status of 404")
    return f"five phases live, {steps} steps drawn and in a table, three outcomes in words and icons, {len(texts)} hostile texts stay texts"


def query(browser):
    """The query of the page's address."""
    return dict(urllib.parse.parse_qsl(browser.driver.current_url.split("#", 1)[1].partition("?")[2]))


def failed_test(browser, store):
    """The store of a failed test opens from the line that `store run` prints: signed in, with what the test bought."""
    def storebus(line, status=0):
        ended = subprocess.run(shlex.split(line), text=True, capture_output=True, timeout=60)
        assert ended.returncode == status, f"{line}: {ended.returncode} {ended.stdout}{ended.stderr}"
        return ended

    test = "storebus buy com.example.hiddenBeaches --as nora >&2 && exit 3"
    said = storebus(f"storebus store run --data {store.data} -- sh -c '{test}'", status=3)
    kept = re.search(r"^kept  (\S+) until .*?  open it: (storebus open .*?)  remove it: (storebus .*)$", said.stderr, re.MULTILINE)
    assert kept, said
    name, opens, removes = kept.groups()
    browser.driver.delete_all_cookies()
    browser.driver.get("about:blank")
    browser.driver.get(storebus(f"{opens} --print").stdout.strip())
    browser.until("the store in the address", lambda: query(browser).get("store") == name)
    browser.settled()
    browser.open("transactions")
    browser.until("the purchase", lambda: ["nora" in one.text for one in browser.all("tbody tr[aria-rowindex]")] == [True])
    browser.driver.get("about:blank")
    storebus(removes)
    browser.driver.get(browser.url)
    browser.settled()
    return "opened by the line that is printed, with its only purchase, and removed by the other"


def places(browser, store):
    """The app and the store are in the address: a link opens the same ones, and what does not exist is said with what does."""
    made = store.ask("POST", "/admin/v1/stores", {"from": {"bundleId": APP}, "clock": "2031-05-06T07:08:09Z", "seed": 7})
    name, inside = made["store"], f"/s/{made['store']}"
    session = store.ask("POST", f"{inside}/v1/sessions", {
        "client": "app", "bundleId": APP, "deviceId": "lea-1", "account": "lea", "platform": "iOS", "osVersion": "18.0", "appVersion": "1.0"})
    bought = store.ask("POST", f"{inside}/v1/payments", {"productIdentifier": "com.example.hiddenBeaches"}, token=session["token"], key="places")

    browser.open("transactions", whole=True)
    browser.until("the app in the address", lambda: query(browser) == {"app": APP})
    Select(browser.until("the stores", lambda: browser.all("header.top select.store")[0])).select_by_value(name)
    browser.until("the store in the address", lambda: query(browser) == {"app": APP, "store": name})
    browser.until("its only purchase", lambda: [one.text for one in browser.all("tbody tr[aria-rowindex]") if "lea" in one.text])
    assert len(browser.all("tbody tr[aria-rowindex]")) == 1, browser.text("tbody")
    browser.says("May 6, 2031", "header.top")
    browser.says("Live", "header.top")
    assert not browser.axe(), browser.axe()
    browser.press(browser.all("tbody a")[0])
    browser.says("pendingAskToBuyConfirmation")
    browser.click("Copy “Finish” as CLI or curl")
    line = browser.until("the command", lambda: browser.text("dialog"))
    assert f"--bundle-id {APP} --store {name}" in line and f"{inside}/v1/transactions/{bought['id']}/finish" in line, line
    browser.click("Close", "dialog")
    browser.click("Finish", "main")
    browser.until("it to be finished", lambda: store.ask("GET", f"{inside}/admin/v1/transactions")["records"][0]["isFinished"])
    permalink = browser.driver.current_url

    # Each link of a page has its place, so that one opened in a tab of its own is of the same store.
    links = browser.run("return [...document.querySelectorAll('a[href^=\"#/\"]')].map(one => one.getAttribute('href'))")
    assert links and all(f"store={name}" in one for one in links), links
    browser.driver.get("about:blank")
    browser.driver.get(f"{browser.url}/#/overview")
    browser.settled()
    assert query(browser) == {"app": APP}, browser.driver.current_url
    browser.driver.get(permalink)
    browser.says("pendingAskToBuyConfirmation")
    assert query(browser)["store"] == name
    browser.open("overview")
    browser.until("the purchase and its end in the feed", lambda: len(browser.all(".feed li")) == 3)

    # What an address names and is not there.
    browser.driver.get(f"{browser.url}/#/transactions?app=com.example.none")
    browser.says("App “com.example.none” not found")
    assert not browser.axe(), browser.axe()
    browser.press(browser.until("the apps there are", lambda: [one for one in browser.all("main a") if APP in one.text][0]))
    browser.until("the list", lambda: browser.all("#filter") and query(browser) == {"app": APP})
    browser.driver.get(f"{browser.url}/#/transactions?app={APP}&store=t-99999")
    browser.says("Store “t-99999” not found")
    assert not browser.axe(), browser.axe()
    browser.press(browser.until("the stores there are", lambda: [one for one in browser.all("main a") if one.text == name][0]))
    browser.until("that store", lambda: query(browser).get("store") == name)
    browser.settled()

    # An address that is pasted on the page to sign in, with a ticket and without.
    browser.click("Sign out")
    browser.until("the form", lambda: browser.all("input[name=key]"))
    browser.run("location.href = arguments[0]", permalink)
    browser.fill("input[name=key]", store.key)
    browser.click("Sign in")
    browser.says("pendingAskToBuyConfirmation")
    assert browser.driver.current_url == permalink, browser.driver.current_url
    browser.click("Sign out")
    browser.until("the form", lambda: browser.all("input[name=key]"))
    ticket = store.ask("POST", "/console/tickets", {})["ticket"]
    browser.run("location.href = arguments[0]", f"{browser.url}/#ticket={urllib.parse.quote(ticket)}&/customers?app={APP}&store={name}")
    browser.until("its customers", lambda: "lea" in browser.text("tbody"))
    assert "ticket" not in browser.driver.current_url and query(browser) == {"app": APP, "store": name}, browser.driver.current_url
    browser.forgive("status of 401")

    store.ask("DELETE", f"/admin/v1/stores/{name}")
    browser.collect(["status of 404"])
    browser.driver.refresh()
    browser.says(f"Store “{name}” not found")
    browser.forgive("status of 404")
    browser.driver.get("about:blank")
    browser.driver.get(browser.url)
    browser.settled()
    return f"{name} opened by the switcher, a permalink, a pasted address and a ticket; an app and a store that do not exist are said"


def feed(browser, store):
    """Each event has its own time: of a purchase, of a renewal on a move's way, of a finish and a cancellation."""
    bought = store.buy("nora", "com.example.pro.monthly", "feed")
    store.ask("POST", f"/admin/v1/apps/{APP}/clock/advance", {"by": "40d"}, key="feed-40d")
    store.ask("POST", f"/v1/transactions/{bought['id']}/finish", {}, token=store.session("nora"))
    store.ask("POST", f"/admin/v1/transactions/{bought['transactionIdentifier']}/disableAutoRenew", {})
    # The newest first, as the page has them.
    events = [one for one in store.ask("GET", "/admin/v1/events/last?limit=200")["events"] if one["account"] == "nora"][::-1]
    kinds = [one["type"] for one in events]
    assert kinds.count("purchased") >= 3 and {"finished", "autoRenewDisabled"} <= set(kinds), kinds
    now = store.ask("GET", f"/admin/v1/apps/{APP}/clock")["now"]
    for one in events:
        if one["type"] in ("finished", "autoRenewDisabled"):
            assert one["at"][:10] == now[:10], (one["type"], one["at"], now)
    assert len({one["at"][:10] for one in events}) >= 3, [one["at"] for one in events]
    browser.open("overview", whole=True)
    rows = browser.until("the feed", lambda: [one for one in browser.all(".feed li") if "nora" in one.text])
    shown = [one.find_element(By.TAG_NAME, "time").get_attribute("datetime") for one in rows]
    assert shown == [one["at"] for one in events], (shown, events)
    finish = next(one.text for one in rows if "finished" in one.text)
    first = rows[-1].text
    # Without a date on the store's own day, with it on any other; how long ago beside it.
    assert "20" not in finish.split("\n")[0].split(":")[0] and "ago" in finish, finish
    assert re.search(r"[A-Z][a-z]{2} \d{1,2}, 20\d\d", first) and "mo. ago" in first, first
    assert all(one.find_elements(By.TAG_NAME, "time") for one in browser.all(".feed li")), "an event without a time"
    return f"{len(rows)} events of a purchase, each at its own time"


def finding(browser, store):
    """One search over everything, by keyboard alone; the focus goes back."""
    bought = next(one for one in store.transactions(account="alice")["transactions"] if one["payment"]["productIdentifier"] == "com.example.hiddenBeaches")
    identifier = bought["transactionIdentifier"]
    notification = store.ask("GET", f"/admin/v1/apps/{APP}/notifications?limit=1")["notifications"][0]["notificationUUID"]

    def options():
        return [one.text for one in browser.all("[role=option]")]

    def find(text, *keys, says):
        browser.keys(Keys.CONTROL + "a", Keys.BACKSPACE)
        browser.keys(text)
        browser.until(f"{says} for {text}", lambda: any(says in one for one in options()))

    browser.open("overview")
    link = browser.all("header.top a.brand")[0]
    browser.run("arguments[0].focus()", link)
    ActionChains(browser.driver).key_down(Keys.CONTROL).send_keys("k").key_up(Keys.CONTROL).perform()
    browser.until("the dialog", lambda: browser.all("dialog[open] [role=combobox]"))
    assert browser.driver.switch_to.active_element.get_attribute("role") == "combobox", "the field has to have the focus"
    browser.until("all pages", lambda: len(options()) == 16)
    assert not browser.axe(), browser.axe()
    find(identifier[-6:], says=identifier)
    assert not browser.axe(), browser.axe()
    browser.keys(Keys.ESCAPE)
    browser.until("the dialog to close", lambda: not browser.all("dialog"))
    assert browser.driver.switch_to.active_element == link, "the focus has to go back"

    for text, says, address in (
        (identifier, identifier, f"#/transactions/{bought['id']}"), ("alic", "alice", "#/customers/alice"), ("hiddenBea", "com.example.hiddenBeaches", "#/products/com.example.hiddenBeaches"),
        (notification[:8], notification, f"#/notifications/{notification}"), ("eligib", "Eligibility", "#/eligibility"),
    ):
        browser.run("document.activeElement.blur()")
        browser.keys("/")
        browser.until("the dialog", lambda: browser.all("dialog[open] [role=combobox]"))
        find(text, says=says)
        place = next(index for index, one in enumerate(options()) if one.startswith(says))
        browser.keys(*[Keys.ARROW_DOWN] * place)
        browser.until("it to be chosen", lambda: browser.text("[aria-selected=true]").startswith(says))
        assert browser.driver.switch_to.active_element.get_attribute("aria-activedescendant") == browser.all("[aria-selected=true]")[0].get_attribute("id")
        browser.keys(Keys.ENTER)
        browser.until(f"the page of {says}", lambda: address in browser.driver.current_url and not browser.all("dialog"))
    browser.settled()
    return "a transaction by its end and whole, an account, a product, a notification and a page"


def lists(browser, store):
    """The badge's words find what they are on; filters are saved by name; what a list shows is saved as JSON and as CSV."""
    browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.savedFiles = [];
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () {
            if (this.download) window.savedFiles.push({ name: this.download, text: window.lastBlob });
            else click.call(this);
        };
        URL.createObjectURL = blob => { window.lastBlob = ''; blob.text().then(text => { window.savedFiles.at(-1).text = text; }); return 'data:,'; };"""})

    def rows():
        return [one.text for one in browser.all("tbody tr[aria-rowindex]")]

    def saved(form):
        before = browser.run("return window.savedFiles.length")
        browser.click(f"Export “Transactions” as {form}", "main")
        return browser.until("the file", lambda: browser.run("const [file] = window.savedFiles.slice(arguments[0]); return file?.text && file", before))

    bought = store.buy("xenia", "com.example.hiddenBeaches", "lists-1")
    store.buy("xenia", "com.example.fishingHotSpots", "lists-2", applicationUsername="=1+1")
    store.ask("POST", f"/admin/v1/transactions/{bought['id']}/refund", {})
    browser.open("transactions?" + urllib.parse.urlencode({"filter": "account=xenia state=refunded"}), whole=True)
    browser.until("the refunded one", lambda: len(rows()) == 1 and "refunded" in rows()[0])
    asked = browser.run("return performance.getEntriesByType('resource').map(one => new URL(one.name)).filter(one => one.pathname.endsWith('/admin/v1/transactions')).map(one => one.search)")
    asked = [urllib.parse.parse_qs(one) for one in asked]
    assert any("account" in one for one in asked) and not any("state" in one for one in asked), asked
    identifier = bought["transactionIdentifier"]
    file = saved("CSV")
    lines = file["text"].split("\r\n")
    assert file["name"] == "transactions.csv" and lines[0].startswith("Transaction,Product,Account,State,Finished") and len(lines) == 3, file
    assert lines[1].startswith(f"{identifier},com.example.hiddenBeaches,xenia,refunded,no,"), lines
    file = saved("JSON")
    assert file["name"] == "transactions.json" and [one["transactionIdentifier"] for one in json.loads(file["text"])] == [identifier], file
    browser.run("navigator.clipboard.writeText = async text => { window.copied = text; }")
    browser.click(f"Copy {identifier}", "main")
    browser.until("the copy", lambda: browser.run("return window.copied") == identifier)
    browser.click(f"Actions for {identifier}", "main")
    browser.click("JSON", "dialog")
    assert json.loads(browser.until("the object", lambda: browser.text("dialog pre")))["id"] == bought["id"]
    browser.click("Close", "dialog")

    browser.click("Save filter", "main")
    browser.fill("dialog input[name=name]", HOSTILE)
    browser.click("Save", "dialog")
    browser.fill("#filter", "account=xenia")
    browser.until("both", lambda: len(rows()) == 2)
    Select(browser.until("what is saved", lambda: browser.all(".saved select")[0])).select_by_visible_text(HOSTILE)
    browser.until("one again", lambda: len(rows()) == 1)
    assert not browser.axe(), browser.axe()
    browser.open("transactions", whole=True)
    Select(browser.until("what is saved", lambda: browser.all(".saved select")[0])).select_by_visible_text(HOSTILE)
    browser.until("the filter in the address", lambda: query(browser).get("filter") == "account=xenia state=refunded")
    browser.click("Delete filter", "main")
    browser.until("nothing saved", lambda: not browser.all(".saved select"))
    browser.fill("#filter", "acount=xenia type=bought")
    browser.says("Unknown terms: acount=xenia type=bought")

    browser.open("subscriptions")
    browser.until("lanes with dates", lambda: re.search(r"[A-Z][a-z]{2} \d", browser.text(".axis.dates")) and browser.all("svg.lane[role=img]"))
    known = store.ask("GET", "/admin/v1/subscriptions?limit=100")["subscriptions"]
    before = browser.run("return window.savedFiles.length")
    browser.click("Export “Subscriptions” as CSV", "main")
    file = browser.until("the file", lambda: browser.run("const [file] = window.savedFiles.slice(arguments[0]); return file?.text && file", before))
    assert file["name"] == "subscriptions.csv" and len(file["text"].split("\r\n")) == len(known) + 2, file
    running = next(one for one in known if one["state"] == "subscribed")["originalTransactionIdentifier"]
    browser.click(f"Actions for {running}", "main")
    browser.until("one menu", lambda: {"Renew now", "Extend"} <= {one.text for one in browser.all("dialog button")})
    assert not browser.axe(), browser.axe()
    browser.click("Close", "dialog")

    cases = json.loads((pathlib.Path(__file__).resolve().parents[1] / "Filters/cases.json").read_text())
    found = browser.driver.execute_async_script("""
        const [{ now, rows, cases }, done] = arguments;
        import('/console/lib/filter.js').then(({ TRANSACTION, VALUES, parse }) => done(cases.map(({ filter }) => {
            const said = parse(filter, TRANSACTION, { values: VALUES, now: new Date(now) });
            return said.unknown.length ? null : rows.filter(said.matches).map(row => row.id);
        })));""", {**cases, "rows": [{
            "id": one["id"], "transactionIdentifier": one.get("identifier"), "payment": {"productIdentifier": one["product"]}, "transactionState": one["state"],
            "transactionDate": one.get("date"), "originDeviceId": one["device"], "account": one["account"], "bundleId": one["bundleId"], "isFinished": one["finished"],
            "revocationDate": cases["now"] if "takenBack" in one else None, "revocationType": "REFUND_FULL" if one.get("takenBack") == "refunded" else None}
            for one in cases["rows"]]})
    differs = [(one["filter"], one.get("matches"), ids) for one, ids in zip(cases["cases"], found) if one.get("matches") != ids]
    assert not differs, differs
    return f"one found by its badge, saved as CSV and JSON, a filter kept by name; {len(found)} filters as the command line understands them"


def widths(browser, store):
    """At 390 and 1280 pixels: one line of header, no table cut beside free space, no two scroll bars, times and states in sight."""
    store.ask("DELETE", "/admin/v1/faults")
    for scheme in ("light", "dark"):
        for width in (390, 1280):
            browser.look(width, scheme)
            browser.open("overview")
            header = browser.run("return document.querySelector('header.top').offsetHeight")
            assert header <= 52, (width, header)
            for css in (".feed li time", ".feed li .pill"):
                inside = browser.run("return [...document.querySelectorAll(arguments[0])].slice(0, 5).map(one => one.getBoundingClientRect()).every(one => one.width > 20 && one.left >= 0 && one.right <= innerWidth)", css)
                assert inside and browser.all(css), (width, css)
            browser.open("transactions")
            browser.until("rows", lambda: browser.all("tbody .pill"))
            seen = browser.run("""
                const area = document.querySelector('[data-rows]');
                const pill = area.querySelector('tbody .pill').getBoundingClientRect();
                const product = [...area.querySelectorAll('tbody td:nth-child(2) span')].filter(one => one.offsetParent);
                return { sideways: area.scrollWidth - area.clientWidth, right: pill.right, page: document.documentElement.scrollHeight - innerHeight,
                    cut: product.filter(one => one.parentElement.scrollWidth > one.parentElement.clientWidth && one.textContent.length < 28).map(one => one.textContent) };""")
            assert seen["sideways"] <= 0 and seen["right"] <= width, (width, seen)
            if width == 1280:
                assert seen["page"] <= 0 and not seen["cut"], seen
    browser.look(1280)
    store.ask("POST", "/admin/v1/faults", {"fault": "delay", "service": "eligibility"})
    browser.open("customers", whole=True)
    browser.until("the banner", lambda: "delay at eligibility" in browser.text(".banners"))
    browser.run("scrollTo(0, document.documentElement.scrollHeight)")
    top = browser.run("return document.querySelector('.banners .away').getBoundingClientRect().top")
    assert 0 <= top <= 60, top
    browser.run("scrollTo(0, 0)")
    store.ask("DELETE", "/admin/v1/faults")
    return "header, feed, transactions and the banner hold in both schemes"


CHECKS = [plain, signing_in, sizes, pages, feed, places, failed_test, finding, lists, widths, purchase, featured, ask_to_buy, commands, recording, traces, hostile, many, many_customers, keyboard, dragging, typing, operate,
          notification, hub, other_app, family, monthly, bus, drain, faults, run, badge, two_tabs, without_worker, recovery]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("url")
    parser.add_argument("data")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--cost", type=float, metavar="SECONDS", help="measure open pages for so long each, and check nothing")
    given = parser.parse_args()
    only = set(given.only.split(",")) - {""}
    known = [check.__name__ for check in CHECKS]
    if only - set(known):
        parser.error(f"--only: no check {', '.join(sorted(only - set(known)))}; there are {', '.join(known)}")
    store, failed = Store(given.url, given.data), []
    seed(store)
    browser = Browser(given.url)
    if given.screenshots:
        given.screenshots.mkdir(parents=True, exist_ok=True)
    try:
        browser.look(1280)
        if given.cost:
            return cost(browser, store, given.cost)
        if only:
            browser.sign_in(store.key)
        for check in CHECKS:
            name = check.__name__
            if only and name not in only:
                continue
            try:
                said = check(browser, store, given.screenshots) if check is pages else check(browser, store)
                browser.collect()
            except AssertionError as fault:
                failed.append(name)
                said = f"FAILED: {fault}"
            print(f"{name.replace('_', ' ')}: {said}", flush=True)
    finally:
        browser.quit()
    for fault in browser.faults:
        print(fault)
    print(f"check-console: {len(CHECKS if not only else only) - len(failed)} checks hold, {len(failed)} do not; "
          f"{len(browser.faults)} reports of the policy and errors of the console")
    sys.exit(1 if failed or browser.faults else 0)


main()
