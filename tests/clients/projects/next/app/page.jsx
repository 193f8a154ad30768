'use client';
import { load } from 'cairn-physics';
import { useEffect, useState } from 'react';
import { report, simulate } from '../simulate.js';

export default function Page() {
    const [text, setText] = useState('…');
    useEffect(() => {
        simulate(load).then((result) => {
            report(result);
            setText(JSON.stringify(result));
        });
    }, []);
    return <p>{text}</p>;
}
