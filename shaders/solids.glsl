// Opaque triangles of a body in the light of the spheres, with the normals of a smooth surface.
// Colours in and out are linear light.

#ifdef VERTEX
layout(location = 0) in vec3 a;        // corners [m]
layout(location = 1) in vec3 b;
layout(location = 2) in vec3 c;
layout(location = 3) in vec3 na;       // outward unit normals at the corners
layout(location = 4) in vec3 nb;
layout(location = 5) in vec3 nc;
layout(location = 6) in vec3 colour;

uniform mat4 world_to_view;
uniform mat4 view_to_clip;

out vec3 sight;                        // line of sight, from the eye [m]
out vec3 normal;
flat out vec3 paint;

void main() {
    // The fourth corner of the square coincides with the third, which leaves a triangle.
    vec3 world = gl_VertexID == 0 ? a : (gl_VertexID == 1 ? b : c);
    normal = gl_VertexID == 0 ? na : (gl_VertexID == 1 ? nb : nc);
    vec4 place = world_to_view * vec4(world, 1.0);
    sight = place.xyz;
    paint = colour;
    gl_Position = view_to_clip * place;
}
#endif

#ifdef FRAGMENT
in vec3 sight;
in vec3 normal;
flat in vec3 paint;

uniform mat4 world_to_view;
uniform vec3 lamp;                     // unit vector towards the lamp, in the world

out vec4 light;

const float KEY = 0.56, SKY = 0.28, FILL = 0.44;  // as in spheres.glsl
const float CONTOUR = 0.45;

void main() {
    vec3 world = normalize(normal);
    float facing = max(-dot(mat3(world_to_view) * world, normalize(sight)), 0.0);
    float shade = KEY * max(dot(world, lamp), 0.0) + SKY * (0.5 + 0.5 * world.z) + FILL * facing;
    shade *= mix(CONTOUR, 1.0, smoothstep(0.0, 0.55, facing));
    light = vec4(paint * min(shade, 1.0), 1.0);
}
#endif
