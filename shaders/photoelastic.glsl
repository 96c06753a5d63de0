// Photoelastic discs between crossed circular polarisers, as instanced squares; colours are linear light, premultiplied.
// Order of the fringes: repose.app.render.passes.photoelastic.

#ifdef VERTEX
layout(location = 0) in vec4 disc;      // centre [m], radius [m], width of the rim [pixel]
layout(location = 1) in vec4 choice;    // number of loads, 1 for white light, unused
layout(location = 2) in vec4 load[12];  // direction from the centre to the load, force in fringe orders at one radius

uniform vec2 camera_centre;      // [m]
uniform vec2 camera_turn = vec2(1.0, 0.0);  // cosine and sine of the angle by which the table is drawn tilted
uniform float metres_per_pixel;
uniform vec2 framebuffer;        // [pixel]

out vec2 place;                  // from the centre of the disc, in the frame of the table [pixel]
flat out float edge;             // radius [pixel]
flat out float rim;              // [pixel]
flat out int count;
flat out float white;
flat out vec4 loads[12];

vec2 turned(vec2 way) {
    return vec2(dot(camera_turn, way), dot(vec2(-camera_turn.y, camera_turn.x), way));
}

void main() {
    edge = max(disc.z / metres_per_pixel, 0.5);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * (edge + 1.0);
    vec2 pixel = turned((disc.xy - camera_centre) / metres_per_pixel + place);
    gl_Position = vec4(pixel * 2.0 / framebuffer, 0.0, 1.0);
    rim = disc.w;
    count = int(choice.x + 0.5);
    white = choice.y;
    loads = load;
}
#endif

#ifdef FRAGMENT
in vec2 place;
flat in float edge;
flat in float rim;
flat in int count;
flat in float white;
flat in vec4 loads[12];

out vec4 light;

const float PI = 3.14159265;
const vec3 ORDERS = vec3(550.0 / 630.0, 550.0 / 540.0, 550.0 / 450.0);  // of red, green and blue per order at 550 nm
const float GROUND = 0.035;                                             // light of a disc without stress
const float NEAREST = 0.02;                                             // least distance to a load: half the width of a contact [radii]

void main() {
    float distance = length(place);
    float inside = clamp(edge - distance + 0.5, 0.0, 1.0);
    vec2 here = place / edge;
    float difference = 0.0, shear = 0.0;  // sigma_xx - sigma_yy and 2 sigma_xy, in fringe orders
    for (int k = 0; k < count; k++) {
        vec2 arm = here - loads[k].xy;
        float square = max(dot(arm, arm), NEAREST * NEAREST);
        float radial = dot(loads[k].zw, arm) / (square * square);  // F.e / r, over r²
        difference -= radial * (arm.x * arm.x - arm.y * arm.y);
        shear -= radial * 2.0 * arm.x * arm.y;
    }
    float order = length(vec2(difference, shear));
    float change = fwidth(order);  // fringes closer than pixels give their mean
    if (inside <= 0.0) discard;
    vec3 orders = mix(vec3(order), order * ORDERS, white);
    vec3 contrast = 1.0 - smoothstep(0.35, 0.9, change * mix(vec3(1.0), ORDERS, white));
    vec3 passed = 0.5 - 0.5 * cos(2.0 * PI * orders) * contrast;
    vec3 colour = GROUND + (1.0 - GROUND) * passed;
    float on_rim = rim > 0.0 ? 1.0 - clamp(edge - rim - distance + 0.5, 0.0, 1.0) : 0.0;
    light = vec4(mix(colour, vec3(0.16), on_rim), 1.0) * inside;
}
#endif
