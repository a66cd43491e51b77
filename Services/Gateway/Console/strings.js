// The English texts of the frame, of what all pages share, and of the first page. Those of the other pages: strings.pages.js.
export const strings = {
    brand: 'Storebus', skip: 'Skip to the content', menu: 'Menu', pages: 'Pages', app: 'App', signOut: 'Sign out',
    theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },
    loading: 'Loading…', tryingAgain: 'Trying again…', unreachable: 'The gateway does not answer.', messages: 'Messages',
    away: 'Not connected, trying again. What you see may be out of date.', live: 'Live', notLive: 'Not connected',
    cancel: 'Cancel', close: 'Close', copy: 'Copy', copied: 'Copied.', selected: 'Selected; copy it with the keyboard.', save: 'Save', add: 'Add', remove: 'Remove', none: 'none', yes: 'yes', no: 'no', more: 'More', all: 'all', search: 'Search', refresh: 'Refresh', actions: 'Actions',
    asCLI: 'As a command', asCurl: 'With curl', copyCLI: 'Copy as CLI', copyCurl: 'Copy as curl',
    sameAs: label => `${label}: the same as a command`, commandsFor: label => `Copy “${label}” as CLI or curl`,
    done: label => `${label}: done.`,
    noPage: 'There is no such page', noPageSays: 'The address may be of another version.', pageFailed: 'The page could not be loaded.',
    noApp: 'No app yet', noAppSays: 'Import a catalogue to begin with one.',
    clockSays: (time, how) => `Store clock ${time}, ${how}`, frozen: 'frozen', realTime: 'real time', times: factor => `× ${factor}`,
    inboxTitle: (count, title) => `(${count}) ${title}`,
    shortcutsTitle: 'Keyboard shortcuts', shortcutsButton: 'Shortcuts',
    shortcuts: [['?', 'This list'], ['/', 'To the filter'], ['j', 'Next row'], ['k', 'Row before'], ['Enter', 'Open the row']],
    nav: {
        overview: 'Overview', inbox: 'Inbox', transactions: 'Transactions', subscriptions: 'Subscriptions', customers: 'Customers', products: 'Products', promotions: 'Promotions',
        store: 'Store page', eligibility: 'Eligibility', notifications: 'Notifications', time: 'Time', services: 'Services', bus: 'Bus', chaos: 'Chaos', settings: 'Keys & settings',
    },
    faults: {
        inForce: 'Faults in force:', at: (fault, service) => `${fault} at ${service}`, rules: count => count === 1 ? '1 rule on the bus' : `${count} rules on the bus`, heal: 'Heal all', healed: 'All faults are taken back.',
    },
    sign: {
        title: 'Sign in', says: 'With the admin key of this store. It is in the file admin.key of the data directory.', key: 'Admin key', button: 'Sign in',
        hint: 'storebus open signs you in without typing it.', wrong: 'That key is not this store’s.', stale: 'The link has been used or is older than a minute. Sign in with the key.',
    },
    overview: {
        services: 'Services', allWell: 'all answer', missing: names => `missing: ${names}`, clock: 'Store clock', next: 'Due next', nothingDue: 'nothing', inbox: 'Waiting for you', unfinished: 'Not finished', orMore: count => `${count}+`,
        feed: 'What just happened', pause: 'Pause', goOn: count => `Go on (${count} new)`, resume: 'Go on', quiet: 'Nothing yet. It shows here as it happens.', rate: 'Events a minute',
        first: 'Do this next',
        steps: product => [product ? ['Buy something, as an app would', ['buy', [product], '--as', 'alice']] : ['Import your products', ['import', 'App.storekit']], ['Let three months pass', ['time', 'advance', '3mo']], ['Forward notifications to your server', ['listen', '--forward-to', 'http://localhost:8080/apple']], ['Point Apple’s server library here', ['trust', 'python']]],
        storeSteps: 'Or tap Buy on the store page.',
    },
};
