// The promotional image of a product.
import { useEffect, useState } from '../vendor/preact-htm.js';
import { appURL, get } from './api.js';

export const picturePath = (app, id) => appURL(app, 'products', id, 'promotion-image');

// Its address once it has loaded. `sha256` tells one image from the next; without it there is none.
export function usePicture(app, id, sha256) {
    const [shown, setShown] = useState();
    useEffect(() => {
        setShown(undefined);
        if (!sha256) return undefined;
        let isWanted = true;
        // The policy allows data: for images, not blob:.
        get(picturePath(app, id), {}, { as: 'blob' }).then(blob => {
            const reader = new FileReader();
            reader.onload = () => { if (isWanted) setShown(reader.result); };
            if (/^image\/(png|jpeg)$/.test(blob.type)) reader.readAsDataURL(blob);
        }, () => {});
        return () => { isWanted = false; };
    }, [app, id, sha256]);
    return shown;
}
