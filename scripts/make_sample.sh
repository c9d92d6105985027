#!/usr/bin/env bash
# make_sample.sh [FOLDER]: makes the demo's recordings, 16 kHz mono s16, in web/demo or FOLDER:
#   sample.wav      three groups of digits, for the embedded model, spoken by espeak-ng
#   sentences.wav   three sentences, for a full Whisper, spoken by flite
# Needs espeak-ng, flite and sox (Debian: apt-get install espeak-ng flite sox).
set -euo pipefail
folder=${1:-"$(dirname "$0")/../web/demo"}

text='three one four <break time="900ms"/> one five nine <break time="900ms"/> two six five'
espeak-ng -m -v en-us+f3 -s 130 -g 12 --stdout "<speak>$text</speak>" |
  sox -R -t wav - -r 16000 -c 1 -b 16 "$folder/sample.wav" gain -3 pad 0.4 0.5

sentences='The ship left the harbor in the morning. By evening the wind had turned, and the captain decided to wait
for better weather. Nobody on board complained, because the soup was very good.'
flite -voice slt -t "$sentences" -o "$folder/sentences.wav"
