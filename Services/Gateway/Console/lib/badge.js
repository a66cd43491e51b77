// The page's icon, with how many wait.
const SIZE = 64;
const PLAIN = '/console/icon.svg';
let turn = 0;
let bag;

function plain() {
    if (bag) return bag;
    const image = new Image();
    image.src = PLAIN;
    bag = image.decode().then(() => image);
    return bag;
}

export async function showBadge(count) {
    const mine = turn += 1;
    const icon = document.querySelector('link[rel="icon"]');
    if (!count) {
        Object.assign(icon, { type: 'image/svg+xml', href: PLAIN });
        return;
    }
    const image = await plain();
    if (mine !== turn) return;
    const canvas = Object.assign(document.createElement('canvas'), { width: SIZE, height: SIZE });
    const area = canvas.getContext('2d');
    area.drawImage(image, 0, 0, SIZE, SIZE);
    area.fillStyle = '#a81f2d';
    area.beginPath();
    area.roundRect(SIZE - 42, 0, 42, 40, 18);
    area.fill();
    Object.assign(area, { fillStyle: '#fff', font: 'bold 32px sans-serif', textAlign: 'center', textBaseline: 'middle' });
    area.fillText(count > 9 ? '9+' : count, SIZE - 21, 21, 36);
    Object.assign(icon, { type: 'image/png', href: canvas.toDataURL() });
}
