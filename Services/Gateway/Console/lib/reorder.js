// A list whose order is changed by dragging its grip, by buttons, or by the keyboard: Space lifts, arrows move, Escape puts back.
import { html, useLayoutEffect, useRef, useState } from '../vendor/preact-htm.js';
import { strings } from '../strings.pages.js';

const text = strings.promotions;

const moved = (list, from, to) => {
    const next = [...list];
    next.splice(to, 0, ...next.splice(from, 1));
    return next;
};

// `items` are strings; `save(next)` is called when an item was put down elsewhere; `children(item, index)` fills a row.
export function Reorder({ items, save, label, children }) {
    const [lifted, draw] = useState();
    // Keys may come faster than the list is drawn.
    const held = useRef();
    const setLifted = value => {
        held.current = value;
        draw(value);
    };
    const [over, setOver] = useState();
    const [said, setSaid] = useState('');
    const area = useRef();
    const shown = lifted ? lifted.list : items;
    const place = item => shown.indexOf(item) + 1;

    const move = (item, to) => {
        const from = items.indexOf(item);
        if (to < 0 || to >= items.length || to === from) return;
        save(moved(items, from, to));
        setSaid(text.movedTo(item, to + 1, items.length));
    };
    // A row that is moved loses the focus.
    useLayoutEffect(() => {
        if (lifted) area.current.querySelector('.lifted .grip')?.focus();
    }, [lifted]);
    const pressed = (event, item) => {
        const { key } = event;
        const lifted = held.current;
        if (key === ' ' || (key === 'Enter' && lifted)) {
            event.preventDefault();
            if (!lifted) {
                setLifted({ item, list: items });
                setSaid(text.lifted(item, place(item), items.length));
            } else {
                const same = lifted.list.every((one, index) => one === items[index]);
                if (!same) save(lifted.list);
                setLifted(undefined);
                setSaid(text.dropped(item, place(item), items.length));
            }
        } else if (lifted && (key === 'ArrowUp' || key === 'ArrowDown')) {
            event.preventDefault();
            const from = lifted.list.indexOf(item);
            const to = from + (key === 'ArrowUp' ? -1 : 1);
            if (to < 0 || to >= items.length) return;
            setLifted({ item, list: moved(lifted.list, from, to) });
            setSaid(text.at(item, to + 1, items.length));
        } else if (lifted && (key === 'Escape' || key === 'Tab')) {
            if (key === 'Escape') event.preventDefault();
            setLifted(undefined);
            setSaid(text.putBack(item));
        }
    };
    // Dragging by pointer: the row under it is where the item goes.
    const drag = (event, item) => {
        if (event.button !== 0) return;
        const grip = event.currentTarget;
        grip.setPointerCapture(event.pointerId);
        let target;
        const dragged = ({ clientY }) => {
            target = [...area.current.children].findIndex(row => clientY < row.getBoundingClientRect().bottom);
            if (target < 0) target = items.length - 1;
            setOver({ item, target });
        };
        const finished = () => {
            grip.removeEventListener('pointermove', dragged);
            grip.removeEventListener('pointerup', finished);
            grip.removeEventListener('pointercancel', finished);
            setOver(undefined);
            if (target !== undefined) move(item, target);
        };
        grip.addEventListener('pointermove', dragged);
        grip.addEventListener('pointerup', finished);
        grip.addEventListener('pointercancel', finished);
    };
    return html`<ol class="plain" ref=${area} aria-label=${label}>
            ${shown.map((item, index) => html`<li key=${item} class=${`promotion${lifted?.item === item || over?.item === item ? ' lifted' : ''}${over && over.target === index && over.item !== item ? ' over' : ''}`}>
                <button class="square grip" aria-label=${text.grip(item, index + 1, shown.length)} aria-pressed=${lifted?.item === item} title=${text.gripHint} onKeyDown=${event => pressed(event, item)} onPointerDown=${event => drag(event, item)}>⠿</button>
                ${children(item, index)}
                <span class="row">
                    <button class="square" aria-label=${text.up(item)} disabled=${index === 0} onClick=${() => move(item, index - 1)}>↑</button>
                    <button class="square" aria-label=${text.down(item)} disabled=${index === shown.length - 1} onClick=${() => move(item, index + 1)}>↓</button>
                    <button class="square" aria-label=${text.top(item)} disabled=${index === 0} onClick=${() => move(item, 0)}>⤒</button>
                </span>
            </li>`)}
        </ol>
        <div class="hidden" role="status" aria-live="assertive">${said}</div>`;
}
