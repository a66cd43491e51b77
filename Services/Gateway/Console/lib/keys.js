// Keyboard shortcuts. Nothing happens while a field is being typed into or a dialog is open.
import { html } from '../vendor/preact-htm.js';
import { strings } from '../strings.js';
import { ask } from './ui.js';

let waitsForPage;

function help(pages) {
    const list = [...strings.shortcuts, ...pages.filter(page => page.key).map(page => [`g ${page.key}`, page.name])];
    return ask(strings.shortcutsTitle, close => html`<dl class="facts">
        ${list.map(([keys, does]) => html`<dt>${keys.split(' ').map(key => html`<kbd>${key}</kbd> `)}</dt><dd>${does}</dd>`)}
    </dl><div class="row"><button autofocus onClick=${() => close()}>${strings.close}</button></div>`);
}

export function listen(pages, open, search) {
    const pressed = event => {
        if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !event.altKey && !event.shiftKey && !document.querySelector('dialog[open]')) {
            event.preventDefault();
            search();
            return;
        }
        if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (event.target.closest?.('input, select, textarea, dialog')) return;
        const { key } = event;
        if (waitsForPage) {
            clearTimeout(waitsForPage);
            waitsForPage = undefined;
            const page = pages.find(one => one.key === key);
            if (page) {
                event.preventDefault();
                open(page);
                return;
            }
        }
        if (key === 'g') {
            waitsForPage = setTimeout(() => { waitsForPage = undefined; }, 1500);
        } else if (key === '?') {
            event.preventDefault();
            help(pages);
        } else if (key === '/') {
            event.preventDefault();
            search();
        } else if (key === 'f') {
            const field = document.querySelector('main input[data-filter], main input[type="search"]');
            if (!field) return;
            event.preventDefault();
            field.focus();
            field.select();
        } else if (key === 'j' || key === 'k') {
            document.querySelector('[data-rows]')?.dispatchEvent(new CustomEvent('step', { detail: key === 'j' ? 1 : -1 }));
        }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
}

export const showShortcuts = help;
